"""A task that dies on request: what the worker of a job is given in tests. Each input says what it does, and when."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.jobs.plain_exception import Unfit
from outlive.jobs.worker import Ready

PIECE_BYTES = 8_000_000
TOKEN = "ghp_" + "a1B2" * 9


def make(
    most: int = 8, budget: int | None = None, unable: str = "", times: str = ""
) -> FragileTask:
    """``unable``: what happens instead of it; only for as long as the file ``times`` has bytes, of which each takes one."""
    if unable and (not times or used_up_one(times)):
        ACTS[unable]()
    return FragileTask(most)


def used_up_one(path: str) -> bool:
    left = os.path.getsize(path)
    os.truncate(path, max(0, left - 1))
    return left > 0


def segfault() -> None:
    ctypes.string_at(0)


def eat() -> None:
    kept = []
    while True:
        kept.append(b"x" * PIECE_BYTES)


def hang() -> None:
    threading.Event().wait()


def compute(seconds: float = 0.9) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def throw() -> None:
    raise ValueError("this one is bad")


def leak() -> None:
    """Raise what holds secrets: one with a shape where the text is cut, one that is known only by its value, one of an exception before."""
    try:
        raise OSError(2, "not found", f"/data/{os.environ['DB_PASSWORD']}/1.png")
    except OSError as error:
        raise ValueError(f"{os.environ['DB_PASSWORD']}{' ' * 3960}{TOKEN}") from error


def leak_unfit() -> None:
    raise Unfit(
        "oversized-image", f"Refused: {TOKEN} {os.environ['DB_PASSWORD']}.", f"Ask with {TOKEN}."
    )


def refuse() -> None:
    raise Unfit("oversized-image", "It is too large.", "Make it smaller.")


ACTS = {
    "segfault": segfault,
    "abort": os.abort,
    "eat": eat,
    "hang": hang,
    "compute": compute,
    "compute on": lambda: compute(float("inf")),
    "throw": throw,
    "refuse": refuse,
    "leak": leak,
    "leak unfit": leak_unfit,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: os._exit(3),
    "leave": lambda: sys.exit(4),
}


class FragileTask:
    facts: Mapping[str, Any] = {"notes": (f"loaded with {TOKEN}",)}
    room_bytes = None

    def __init__(self, most: int) -> None:
        self.most = most

    def prepare(self, item: Mapping[str, Any]) -> Ready:
        act = item.get("prepare")
        if act:
            ACTS[act]()
        return Ready(item)

    def run(self, things: Sequence[Mapping[str, Any]]) -> list[Any]:
        for thing in things:
            while thing.get("until") and not os.path.exists(thing["until"]):
                time.sleep(0.01)
            if thing.get("run"):
                ACTS[thing["run"]]()
            if len(things) > thing.get("together", len(things)):
                raise MemoryError("too many at once")
        return [thing["n"] * 2 for thing in things]


def number_of(item: Any) -> str:
    """The name of an input."""
    return str(item["n"])


def nowhere(item: Any) -> str:
    """The path of an input: it has none."""
    return ""
