"""Before a cell runs: a word about the line that will fail, above the output. The cell runs all the same.

An extension of IPython, loaded in the kernel by `%outlive foresee on` or, with `outlive jupyter enable --foresee`, by the recorder. It is also an extension of a
Jupyter server, switched on beside the other, that asks the recorder for it.

The variables are read in the kernel's thread, by type alone (``live_values``). The rest is text, and is worked out in a thread of its own that has until the deadline; then it
stops at its next call, and nothing is said. No counter of names, no seed and no variable changes: the thread is not one of ``threading``'s, and nothing of TensorFlow is called
that makes anything. The garbage collector rests meanwhile, so that no finalizer of the user's runs in that thread.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time
from dataclasses import replace
from types import FrameType
from typing import Any

from outlive.inside.machine.host import Host
from outlive.jupyter.live_values import live_values
from outlive.recorder.sampler import Sampler
from outlive.source.lint.before_cell import Live, Warning, foreseen

#: From the moment that the kernel has the cell; on a busy machine the kernel wakes up some milliseconds later, and 50 ms are promised.
BUDGET_SECONDS = 0.04

#: A longer cell takes longer to read.
LONGEST_CELL = 20_000

MOST_TOLD = 3

#: Of a function's code: it makes a generator.
CO_GENERATOR = 0x20

GUARDED = "%%guarded"


class OutOfTime(BaseException):
    """The deadline has passed; raised in the thread that works."""


class Foresight:
    """Looks at each cell of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._host = Host()
        self._sampler: Sampler | None = None

    def before(self, info: Any) -> None:
        """Called by IPython with the cell that is about to run. Nothing that happens here reaches the cell."""
        began = time.perf_counter()
        try:
            if not getattr(info, "silent", False):
                self._say(self._look(str(info.raw_cell or ""), began + BUDGET_SECONDS))
        except Exception:
            pass

    def _look(self, cell: str, deadline: float) -> list[Warning]:
        namespace = self._shell.user_ns
        if cell.lstrip().startswith(GUARDED):
            return []  # its body comes by itself
        if not cell.strip() or len(cell) > LONGEST_CELL or type(namespace) is not dict:
            return []
        if self._shell.ast_transformers or _thread.stack_size():
            return []  # what runs is another text; or threads are too small to work in
        live = live_values(namespace, cell, frozenset(self._shell.magics_manager.magics["line"]))
        left, limit = self._memory()
        return within(deadline, cell, replace(live, left_bytes=left, limit_bytes=limit))

    def _memory(self) -> tuple[int | None, int | None]:
        """What is left of the limit that is nearest, and that limit."""
        if self._sampler is None or self._sampler.pid != os.getpid():
            self._sampler = Sampler(self._host, os.getpid())
        sample: dict[str, Any] = {"groups": self._sampler.read_groups()}
        _, available = self._host.memory()
        if available is not None:
            sample["available"] = available
        rooms = [(limit - used, limit) for used, limit in self._sampler.limits(sample)]
        return min(rooms, default=(None, None))

    def _say(self, warnings: list[Warning]) -> None:
        for warning in warnings[:MOST_TOLD]:
            sys.stderr.write(f"outlive: {warning.says}\n")
        if warnings:
            sys.stderr.flush()


def within(deadline: float, cell: str, live: Live) -> list[Warning]:
    """What will fail, if that is known before the deadline."""
    done = _thread.allocate_lock()
    answers: list[list[Warning]] = []
    done.acquire()

    def too_late(frame: FrameType, event: str, what: object) -> None:
        # What a generator raises while it is closed is printed, and goes nowhere.
        if time.perf_counter() > deadline and not frame.f_code.co_flags & CO_GENERATOR:
            raise OutOfTime

    def work() -> None:
        try:
            sys.settrace(too_late)  # of this thread alone; asked at each call
            answers.append(foreseen(cell, live))
        except BaseException:  # out of time, or broken: nothing is said
            pass
        finally:
            sys.settrace(None)
            done.release()

    collects = gc.isenabled()
    gc.disable()
    try:
        _thread.start_new_thread(work, ())
        in_time = done.acquire(timeout=max(0.0, deadline - time.perf_counter()))
    finally:
        if collects:
            gc.enable()
    return answers[0] if in_time and answers else []


_running: dict[int, Foresight] = {}


def load(shell: Any) -> None:
    """Look at every cell of this shell from now on."""
    if id(shell) not in _running:
        _running[id(shell)] = Foresight(shell)
        foreseen(
            "numpy + numpy", Live({"numpy": "import numpy"}, ["numpy"])
        )  # loads what the first cell needs
        shell.events.register("pre_run_cell", _running[id(shell)].before)


def unload(shell: Any) -> None:
    """Look at no more cells."""
    foresight = _running.pop(id(shell), None)
    if foresight is not None:
        shell.events.unregister("pre_run_cell", foresight.before)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "outlive.jupyter.foresee"}]


def _load_jupyter_server_extension(serverapp: Any) -> None:
    """Called by the server when it starts."""
    from outlive.jupyter.provisioner import OutliveProvisioner

    OutliveProvisioner.foresee = True
