"""Pipelines that fit the memory there is, and plans."""
