"""Staying alive: pipelines that fit the memory there is, plans, and what goes on after a death."""
