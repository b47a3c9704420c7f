"""Installed distributions: none appears or vanishes, and entry points are readable."""

import importlib.metadata

print(sorted(str(one.metadata["Name"]) for one in importlib.metadata.distributions())[:200])
