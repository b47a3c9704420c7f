"""What the child of ``outlive.ray.guard`` does: make rows into a batch, call the function, and make rows of what it returns."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready

MOST = 4096


def make(order: bytes, budget: int | None = None) -> RowsTask:
    """The task of the child; named by its parent. The order is pickled as Ray pickles: a function of a notebook can be sent."""
    loads = importlib.import_module("ray.cloudpickle").loads
    dumped, args, kwargs = loads(order)
    fn = loads(dumped)
    return RowsTask(fn(*args, **kwargs) if isinstance(fn, type) else fn)


class RowsTask:
    """A function of batches, given rows."""

    most = MOST
    room_bytes = None
    facts: Mapping[str, Any] = {}
    going: Callable[[], None]  #: set by the worker

    def __init__(self, function: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
        self._function = function

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        """All rows of a batch go together."""
        return Ready(item)

    def run(self, things: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """One row for each."""
        numpy: Any = importlib.import_module("numpy")
        objects = things[0]["objects"]
        columns = {name: [one["row"][name] for one in things] for name in things[0]["row"]}
        found = self._function(
            {
                name: objects_of(some) if name in objects else numpy.asarray(some)
                for name, some in columns.items()
            }
        )
        counts = {len(some) for some in found.values()}
        if counts != {len(things)}:
            raise Unfit(
                "shape-mismatch",
                f"The function returned {sorted(counts)} values for {len(things)} rows; it must return one for each.",
            )
        rows = zip(*found.values(), strict=True)
        return [dict(zip(found, row, strict=True)) for row in rows]


def column_of(values: Sequence[Any]) -> Any:
    """An array; of objects, where there are texts or missing values."""
    numpy: Any = importlib.import_module("numpy")
    if any(value is None or isinstance(value, (str, bytes)) for value in values):
        return objects_of(values)
    return numpy.asarray(values)


def objects_of(values: Sequence[Any]) -> Any:
    """An array of the values as they are."""
    numpy: Any = importlib.import_module("numpy")
    column = numpy.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        column[at] = value
    return column
