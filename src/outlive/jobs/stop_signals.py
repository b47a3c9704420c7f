"""Ctrl-C and SIGTERM while a job runs: the executor is asked to stop, so that no answer is lost between the worker's pipe and the journal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(stop: Callable[[], None], *numbers: signal.Signals) -> Iterator[list[int]]:
    """Call ``stop`` for each of these signals instead of raising in the middle of something. The list says what came.

    In a thread other than the main one nothing changes: Python delivers no signals there.
    """
    came: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        came.append(number)
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
