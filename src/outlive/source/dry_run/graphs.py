"""Graphs of TensorFlow 1: placeholders, sessions, and what is fed to them."""

from __future__ import annotations

from typing import Any

from outlive.source.dry_run import arrays
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.dtypes import dtype_of
from outlive.source.dry_run.run import Run
from outlive.source.dry_run.tensors import compatible
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Const,
    Group,
    Made,
    Table,
    Tensor,
    lose,
    shape_of,
)

SESSIONS = frozenset({"tf.Session", "tf.InteractiveSession"})


def placeholder(run: Run, call: Call) -> Any:
    """A tensor whose numbers come later."""
    dtype = dtype_of(call.get(0, "dtype"))
    given = call.get(1, "shape")
    if not dtype or call.open:
        return UNKNOWN
    shape = None if given is None or given == NONE else shape_of(given)
    if shape is None and not (given is None or given == NONE):
        return UNKNOWN
    sides = NONE if shape is None else Group("list", [Const(it) for it in shape])
    key = run.questions.step("spec", sides, Const(dtype), serial=True)
    return Tensor(shape, dtype, key, "placeholder", True)


def used(run: Run, call: Call, owner: Made, word: str) -> Any:
    """A method of a session."""
    if word == "run":
        feed(run, call, call.get(1, "feed_dict"))
        return UNKNOWN
    for thing in call.every:
        lose(thing)
    return UNKNOWN


def feed(run: Run, call: Call, given: Any) -> None:
    """Look at what is fed to placeholders: shapes that cannot be theirs are refused."""
    if not isinstance(given, Table) or given.lost:
        return
    for key, thing in given.items.items():
        if not isinstance(key, Tensor) or key.kind != "placeholder" or key.shape is None:
            continue
        value = arrays.literal(thing)
        if (
            value is None
            or value.shape is None
            or None in value.shape
            or (isinstance(thing, Tensor) and thing.kind != "array")
        ):
            continue
        if not compatible(key.shape, value.shape):
            says = (
                f"Cannot feed value of shape {value.shape} for a placeholder of shape {key.shape}"
            )
            run.trouble(call.node, "feed", says, "TensorFlow")
