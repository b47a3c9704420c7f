"""Where a module would be loaded from, and by whom: asked before it is loaded, and after."""

import importlib
import importlib.util
import pkgutil
import sys

NAMES = (
    "subprocess",
    "threading",
    "traceback",
    "concurrent.futures.process",
    "multiprocessing.pool",
    "asyncio.base_events",
    "signal",
)
for name in NAMES:
    spec = importlib.util.find_spec(name)
    print(
        name, type(spec.loader).__name__, spec.origin, spec.cached, spec.has_location, spec.parent
    )
print(len(sys.meta_path), [getattr(one, "__name__", type(one).__name__) for one in sys.meta_path])
for name in NAMES:
    module = importlib.import_module(name)
    spec = module.__spec__
    print(
        name,
        type(spec.loader).__name__,
        type(module.__loader__).__name__,
        spec.loader is module.__loader__,
        spec.loader_state,
    )
    print(
        importlib.util.find_spec(name) is spec,
        importlib.reload(module) is module,
        spec.loader.get_source(name) is not None,
    )
print(pkgutil.get_data("concurrent.futures", "__init__.py")[:20])
