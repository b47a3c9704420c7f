"""Run the patched copy as the program was run: by `outlive run`, under the same limits, for a limited time."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable

from outlive.inside.machine.host import Host
from outlive.keep.fix.private_copy import PrivateCopy
from outlive.keep.fix.start_again import Start
from outlive.keep.rehearse.trial import (
    Conditions,
    begin,
    cell_for,
    end,
    environment_for,
    is_limited_already,
    judged,
    meter,
    run_in,
)
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass

SECONDS_BETWEEN = 0.1


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What became of the patched copy."""

    verdict: Verdict | None  #: none while it still lived, or when nothing was recorded
    evidence: Evidence | None
    status: int | None  #: of the program; None: it lived to the end of the rehearsal
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    last_bytes: int  #: in use at the end
    middle_bytes: int  #: … and half of the time before
    limited: bool  #: whether Linux enforced the same limit
    over: bool = (
        False  #: it was ended because it used more than the limit that nobody enforces here
    )


def rehearse(
    start: Start,
    copy: PrivateCopy,
    script: Callable[[list[str]], list[str]],
    seconds: float,
) -> Rehearsal:
    """Run a program in the private copy. ``script`` may change the command (a notebook is run as a script)."""
    host, began = Host(), time.monotonic()
    cell = cell_for(host, start.memory_bytes)
    same = cell is not None or is_limited_already(host, start.memory_bytes)
    words = script([copy.word(word) for word in start.command])
    options = ["--quiet", *(["--hang-after", "5"] if start.hung else [])]
    with tempfile.TemporaryDirectory(prefix="outlive-fix-home-") as home:
        process = begin(words, options, home, _conditions(start, copy, home), cell)
        read = meter(host, process, cell)
        try:
            watched = _watch(process, read, start, began + seconds, same)
        finally:
            end(process)
            if cell is not None:
                cell.remove()
        folder = run_in(home)
        told = judged(folder) if folder else None
    return _result(watched, told, time.monotonic() - began, same)


def _conditions(start: Start, copy: PrivateCopy, home: str) -> Conditions:
    """As the program was run, with the variables that the record kept; its folders are those of the copy."""
    environment = environment_for(home, start.variables)
    if "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = copy.paths(environment["PYTHONPATH"])
    folder = copy.path_of(start.folder) or start.folder
    return Conditions(folder, environment, start.limits)


def _result(
    watched: _Watched, told: tuple[Verdict, Evidence] | None, seconds: float, same: bool
) -> Rehearsal:
    readings = watched.readings or [0]
    samples = told[1].run.samples if told is not None else ()
    return Rehearsal(
        verdict=told[0] if told is not None and watched.status is not None else None,
        evidence=told[1] if told is not None else None,
        status=watched.status,
        seconds=seconds,
        cpu_seconds=max((sample.cpu_seconds for sample in samples), default=0.0),
        peak_bytes=watched.peak,
        last_bytes=readings[-1],
        middle_bytes=readings[len(readings) // 2],
        limited=same,
        over=watched.over,
    )


class _Watched:
    """What was seen of a process while it ran."""

    def __init__(self) -> None:
        self.readings: list[int] = []
        self.peak = 0
        self.status: int | None = None
        self.over = False


def _watch(
    process: subprocess.Popen[bytes],
    used_now: Callable[[], int],
    start: Start,
    until: float,
    same: bool,
) -> _Watched:
    """Wait for the end of a process, or for the end of the rehearsal."""
    seen = _Watched()
    while time.monotonic() < until:
        try:
            seen.status = process.wait(SECONDS_BETWEEN)
            return seen
        except subprocess.TimeoutExpired:
            used = used_now()
            seen.readings.append(used)
            seen.peak = max(seen.peak, used)
            if not same and start.memory_bytes and used > start.memory_bytes:
                seen.over = True
                return seen
    return seen
