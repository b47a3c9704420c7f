"""``outlive.ray.guard``: a function for ``Dataset.map_batches`` whose model lives in a child, so that a row that kills it costs one row.

Ray Data knows blocks. A row that raises takes its block with it, and one that kills its process is tried again without end. Here a batch that kills the child is
divided until the row is found; it comes back as a row with the verdict in the column ``__outlive_error__``, and all others with their values.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.errors import UsageError
from outlive.jobs.endure import Answer, refused
from outlive.jobs.executor import TaskName
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import LeaseWorker, Terms
from outlive.jobs.local_executor import DEADLINE, PATIENCE
from outlive.jobs.ray.cluster import load_ray
from outlive.jobs.ray.rows_task import column_of, objects_of

#: Beside Ray Data's own ``__inference_error__``.
ERROR = "__outlive_error__"

FOREVER = float("inf")

#: The child of each function in this process: Ray runs many batches in one process, and the model is loaded once.
_children: dict[str, _Child] = {}


def guard(
    fn: Any,
    *,
    memory: int | None = None,
    deadline: float | None = None,
    imports: Sequence[str] = (),
) -> Any:
    """Make of what ``Dataset.map_batches`` takes (a function of a batch, or a class of such) one of the same kind that no row can kill.

    ``fn`` gets and returns a dictionary of arrays, one value for each row. A row that kills it, hangs it or raises comes back with the verdict as JSON in
    ``__outlive_error__`` (``None`` for all others) and with those of its own columns that ``fn`` returns, too. ``memory`` and ``deadline`` bound the child as in
    ``outlive.predict``; ``imports`` are loaded before it is forked.
    """
    bounds = {"memory": memory, "deadline": deadline, "imports": tuple(imports)}
    if not isinstance(fn, type):
        dumped = load_ray().cloudpickle.dumps(fn)

        @functools.wraps(fn)
        def guarded(batch: Mapping[str, Any]) -> dict[str, Any]:
            return _child_of(dumped, (), {}, bounds).call(batch)

        del guarded.__wrapped__  # Ray would send it along, and look at it
        return guarded
    pickled = load_ray().cloudpickle.dumps(fn)

    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        self.child = _child_of(pickled, args, kwargs, bounds)

    def call(self: Any, batch: Mapping[str, Any]) -> dict[str, Any]:
        return self.child.call(batch)  # type: ignore[no-any-return]

    return type(f"Guarded{fn.__name__}", (), {"__init__": start, "__call__": call})


def _child_of(
    dumped: bytes, args: Sequence[Any], kwargs: Mapping[str, Any], bounds: Mapping[str, Any]
) -> _Child:
    order = load_ray().cloudpickle.dumps((dumped, tuple(args), dict(kwargs)))
    name = hashlib.sha256(order).hexdigest()
    if name not in _children:
        _children[name] = _Child(order, **bounds)
    return _children[name]


def _name_of(item: Mapping[str, Any]) -> str:
    return f"row {item['at']}"


def _path_of(item: Mapping[str, Any]) -> str:
    return ""


class _Child:
    """A child with the function in it, and what it returned last: a row without values needs columns, too."""

    def __init__(
        self, order: bytes, memory: int | None, deadline: float | None, imports: Sequence[str]
    ) -> None:
        ours = ("ray.cloudpickle", "numpy", "outlive.jobs.ray.rows_task", "outlive.jobs.worker")
        task = TaskName("outlive.jobs.ray.rows_task:make", {"order": order}, (*imports, *ours))
        terms = Terms(
            task,
            _name_of,
            _path_of,
            most=4096,
            deadline=deadline or DEADLINE,
            patience=PATIENCE if deadline is None else 1.0,
            budget=memory,
        )
        self._worker = LeaseWorker(terms, None)
        self._columns: dict[str, Any] = {}
        self._number = 0

    def call(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a batch, with a column that says what is wrong with which row."""
        if not isinstance(batch, dict):
            raise UsageError(
                f"outlive.ray.guard takes dictionaries of arrays, not {type(batch).__name__}.",
                'Leave batch_format at its default, "numpy".',
            )
        items = list(_rows(batch))
        if not items:
            return {ERROR: []}
        self._number += 1
        lease = Lease(f"{self._number:016x}", tuple(items))
        report = self._worker.work((lease,), FOREVER)
        if report.failure is not None:
            self._worker.close()
            raise report.failure.raised()
        (done,) = report.done
        values: list[Any] = [None] * len(items)
        errors: list[str | None] = [None] * len(items)
        for at, one in done.outcomes:
            if one.death is None or one.verdict is None:
                values[at] = one.value
            else:
                told = refused(one, one.death, "", one.verdict)
                errors[at] = _error(told)
        return self._as_columns(batch, values, errors)

    def _as_columns(
        self, batch: Mapping[str, Any], values: Sequence[Any], errors: Sequence[str | None]
    ) -> dict[str, Any]:
        numpy: Any = importlib.import_module("numpy")
        good = next((one for one in values if one is not None), None)
        if good is not None:
            self._columns = {name: numpy.asarray(value) for name, value in good.items()}
        told: dict[str, Any] = {}
        for name, like in self._columns.items():
            own = batch.get(name)
            column = [
                value[name] if value is not None else own[at] if own is not None else _empty(like)
                for at, value in enumerate(values)
            ]
            told[name] = column_of(column)
        told[ERROR] = objects_of(errors)
        return told


def _rows(batch: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    names = list(batch)
    objects = tuple(
        name for name in names if getattr(getattr(batch[name], "dtype", None), "hasobject", True)
    )
    for at, values in enumerate(zip(*(batch[name] for name in names), strict=True)):
        yield {"at": at, "row": dict(zip(names, values, strict=True)), "objects": objects}


def _error(told: Answer) -> str:
    names = {"cause": told.cause, "says": told.says, "stage": told.stage}
    return json.dumps({**names, "host": told.host, "worker": told.worker})


def _empty(like: Any) -> Any:
    """What stands for a value that there is none of: none, or for an array one of its shape that is no number, or zero."""
    if not like.shape:
        return None
    return like * float("nan") if like.dtype.kind == "f" else like * 0
