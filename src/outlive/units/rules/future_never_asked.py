"""Work in the background whose errors nobody hears."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

EXECUTORS = (
    "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.thread.ThreadPoolExecutor",
)  # fmt: skip
POOLS = (
    "multiprocessing.Pool",
    "multiprocessing.pool.ThreadPool",
    "multiprocessing.pool.Pool",
    "multiprocessing.dummy.Pool",
)


@rule(
    "R405",
    since="0.1",
    needs=("ThreadPool", "multiprocess", "concurrent"),
    prevents=("background-error-lost",),
)
def future_never_asked(source: Source) -> Iterator[Finding]:
    """Work is handed to other threads or processes, and its result is never retrieved.

    ## Why it is bad
    An exception in the background is stored in the future and raised when the result is retrieved. If it is never
    retrieved, it is lost: the program continues with half of its data, or waits for a result that never comes.

    ## Bad
        with concurrent.futures.ThreadPoolExecutor() as executor:
            for path in paths:
                executor.submit(convert, path)

    ## Good
        with concurrent.futures.ThreadPoolExecutor() as executor:
            futures = [executor.submit(convert, path) for path in paths]
            for future in futures:
                future.result()
    """
    for statement in source.every(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        word = call.func.attr
        if word not in ("submit", "map", "apply_async", "map_async", "starmap_async"):
            continue
        made = source.values.made_by(call.func.value)
        by_executor = word in ("submit", "map") and made in EXECUTORS
        by_pool = word.endswith("_async") and made in POOLS
        if by_pool and source.argument(call, None, "error_callback") is not None:
            continue
        if by_executor or by_pool:
            ask = (
                "list(…) it"
                if word == "map"
                else "keep it and call .result()"
                if by_executor
                else "call .get()"
            )
            yield Finding(
                f"The result of this `{word}` is never retrieved: an error in it is lost.",
                remedies=(Remedy(f"Get the result: {ask}."),),
                where=source.place(call),
            )
