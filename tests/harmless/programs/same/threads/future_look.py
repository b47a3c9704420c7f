"""What Future's methods look like to inspect, and what a future holds."""

import concurrent.futures
import inspect

for name in (
    "result",
    "exception",
    "cancel",
    "set_exception",
    "set_result",
    "done",
    "add_done_callback",
):
    method = getattr(concurrent.futures.Future, name)
    print(
        name,
        inspect.signature(method),
        inspect.isfunction(method),
        method.__qualname__,
        method.__module__,
    )
