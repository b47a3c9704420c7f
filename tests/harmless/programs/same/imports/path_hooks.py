"""Hooks and caches of the path."""

import sys

print(
    [getattr(one, "__name__", str(one)) for one in sys.path_hooks],
    [path for path in sys.path_importer_cache if "outlive" in path],
)
