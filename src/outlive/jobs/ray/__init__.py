"""The same work on Ray: an executor whose workers are in actors on many machines, and a guard for pipelines of Ray Data."""

from outlive.jobs.ray.guard import guard

__all__ = ["guard"]
