"""The recorder in this process, where `outlive run` has put one: what the program's own calls of Outlive tell it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from outlive.inside.notes import kinds


def recorder() -> Any:
    """Who records this process; nothing in a program that nobody watches."""
    agents = getattr(sys.modules.get("_outlive.agent"), "AGENTS", ())
    return agents[0] if agents else None


def tell(kind: kinds.Kind, **fields: Any) -> None:
    """Write it into the record, if there is one; never fails."""
    try:
        if (agent := recorder()) is not None:
            agent.note(kind, **fields)
    except Exception:  # another version's recorder: nothing is written down
        pass


def tell_saved(path: Any, by: str) -> None:
    """A checkpoint is complete; what is no path of something that exists is none."""
    from outlive.keep.pressure.checkpoint_files import is_there

    try:
        if (agent := recorder()) is not None and is_there(path):
            agent.checkpoints().saved(path, by)
    except Exception:  # likewise
        pass


@contextmanager
def saving() -> Iterator[None]:
    """A checkpoint is being saved in this thread: the brake waits."""
    try:
        saves = recorder().checkpoints() if recorder() is not None else None
    except Exception:  # likewise
        saves = None
    if saves is None:
        yield
        return
    saves.begin()
    try:
        yield
    finally:
        saves.end()
