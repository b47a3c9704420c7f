# ci
"""Specs of modules of the standard library name Python's own loaders."""

import importlib.util

for name in (
    "subprocess",
    "threading",
    "traceback",
    "concurrent.futures",
    "multiprocessing",
    "asyncio",
    "json",
):
    spec = importlib.util.find_spec(name)
    print(name, type(spec.loader).__name__, spec.origin is not None, spec.has_location)
