"""`outlive rehearse`: run it for a minute, stop it, say whether the whole run will live."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from outlive.errors import OutliveError, UsageError
from outlive.inside.machine.host import Host
from outlive.inside.notes import links
from outlive.keep.rehearse.answer import STATUS, Seen, answer_on, points_of, unseen_part
from outlive.keep.rehearse.forecast import curve_of
from outlive.keep.rehearse.grows import Growing, filling, growing_in
from outlive.keep.rehearse.overlay import Overlay, overlay_over
from outlive.keep.rehearse.show import as_data, progress_on, show
from outlive.keep.rehearse.steps import While, count_steps, fors_in, whiles_in
from outlive.keep.rehearse.trial import (
    OUTPUT_NAME,
    Conditions,
    begin,
    cell_for,
    end,
    environment_for,
    judged,
    run_in,
)
from outlive.keep.rehearse.watch import STEPS_NAME, Reading, Watch, Watched, checkpoint_bytes
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.report.headline import headline, program_name
from outlive.report.terminal import console_on

#: A program that was to make some steps, and makes none, is not waited for any longer.
LONGEST_SECONDS = 3600.0

#: Asked like a user would, then like a system.
ASKED = (signal.SIGINT, signal.SIGTERM)

#: What `outlive run` gives where there is no program whose status it could give.
NOT_STARTED = (126, 127)

#: What ends a rehearsal.
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: Where the main thread is, in so many lines.
MOST_PLACES = 3


class NoOverlay(OutliveError):
    """Writes cannot be kept apart here."""

    exit_code = 2


def rehearse(
    command: Sequence[str],
    *,
    seconds: float,
    steps: int | None,
    in_place: bool,
    memory: int | None,
    as_json: bool,
) -> int:
    """The whole command; returns its exit status."""
    if not command:
        raise UsageError("No command given.", "For example:  outlive rehearse train.py --epochs 3")
    folder = os.getcwd()
    with _stopped_by_a_signal(), _kept_apart(folder, in_place) as overlay:
        seen = _rehearsed(command, folder, seconds, steps, memory, overlay)
    answer = answer_on(seen)
    if as_json:
        print(json.dumps(as_data(command, seen, answer, overlay), indent=1))
    else:
        show(console_on(sys.stdout), command, seen, answer, overlay)
    return STATUS[answer.will]


@contextmanager
def _kept_apart(folder: str, in_place: bool) -> Iterator[Overlay | None]:
    """An overlay, unless the writes may go where they go."""
    if in_place:
        yield None
        return
    with overlay_over(folder) as overlay:
        if isinstance(overlay, str):
            raise NoOverlay(
                f"No overlay of the working folder can be made here: {overlay}.",
                "What the program writes would change your files. If that is fine:  outlive rehearse --in-place …",
            )
        yield overlay


@contextmanager
def _stopped_by_a_signal() -> Iterator[None]:
    """SIGTERM and SIGHUP end the rehearsal as Ctrl-C does, once: what cleans up is not stopped by another one."""

    def stop(number: int, frame: FrameType | None) -> None:
        for other in STOPS:
            signal.signal(other, signal.SIG_IGN)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    ignored = [number for number in STOPS if signal.getsignal(number) is signal.SIG_IGN]
    before = [(number, signal.signal(number, stop)) for number in STOPS if number not in ignored]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _rehearsed(
    command: Sequence[str],
    folder: str,
    seconds: float,
    steps: int | None,
    memory: int | None,
    overlay: Overlay | None,
) -> Seen:
    host, sources = Host(), Sources()
    cell = cell_for(host, memory)
    longest = LONGEST_SECONDS if steps is not None else seconds
    with tempfile.TemporaryDirectory(prefix="outlive-rehearse-home-", dir=_beside(overlay)) as home:
        environment = environment_for(home)
        path = os.path.join(home, STEPS_NAME)
        environment[links.REHEARSE_VARIABLE] = f"{seconds} {path}"
        conditions = Conditions(folder, environment)
        around = overlay.around if overlay is not None else ()
        process = None
        try:
            process = begin(command, ["--quiet"], home, conditions, cell, around)
            watch = Watch(
                process, home, memory, cell, overlay, lambda ticks: count_steps(ticks, sources).done
            )
            with progress_on(sys.stderr, longest, steps) as tell:
                watched = watch.until(time.monotonic() + longest, steps, tell)
        finally:
            if process is not None:
                end(process, ASKED)
            if cell is not None:
                cell.remove()
        record = run_in(home)
        if watched.status in NOT_STARTED and not watched.readings and not watched.ticks:
            _refuse(_printed(home))
        told = judged(record) if record else None
        return _seen(watched, told, sources)


def _refuse(printed: Sequence[str]) -> None:
    """Say what `outlive run` said of a command that it could not start."""
    ours = [number for number, line in enumerate(printed) if line.startswith("outlive: ")]
    if ours:
        message, *rest = printed[ours[0] :]
        raise UsageError(message.removeprefix("outlive: "), " ".join(rest[:1]))


def _beside(overlay: Overlay | None) -> str | None:
    """The record must not lie below what the overlay hides."""
    return os.path.dirname(overlay.upper) if overlay is not None else None


def _printed(home: str) -> list[str]:
    """What the program printed, or `outlive run` where it could not start it."""
    try:
        with open(os.path.join(home, OUTPUT_NAME), errors="replace") as file:
            return [line.strip() for line in file if line.strip()]
    except OSError:
        return []


def _seen(watched: Watched, told: tuple[Verdict, Evidence] | None, sources: Sources) -> Seen:
    steps = count_steps(watched.ticks, sources)
    curve = curve_of(points_of(watched, steps))
    if told is None:
        return Seen(watched, steps, curve)
    verdict, evidence = told
    watched = (
        watched if watched.written else replace(watched, written=_checkpoints(evidence, watched))
    )
    last = dict(watched.ticks[-1]) if watched.ticks else {}
    ended = watched.status not in (0, None)
    return Seen(
        watched,
        steps,
        curve,
        growing_in(verdict.run, evidence, watched.peak_bytes) if watched.readings else None,
        filling(evidence),
        headline(verdict.ending, program_name(evidence.run.program.command)) if ended else "",
        _cause(verdict) if ended else None,
        unseen_part(steps, last),
        _places(watched.ticks),
    )


def _checkpoints(evidence: Evidence, watched: Watched) -> tuple[Reading, ...]:
    """What the checkpoints take that were saved, as one came to the other; one that is written over counts once."""
    sizes: dict[str, int] = {}
    began = watched.readings[0].at if watched.readings else 0.0
    found = []
    for saved in evidence.saving.saved:
        sizes[saved.path] = checkpoint_bytes(saved.path)
        found.append(Reading(began + (saved.at or 0.0), sum(sizes.values())))
    return tuple(found)


def _cause(verdict: Verdict) -> Growing | None:
    cause = verdict.cause
    if cause is None:
        return None
    return Growing(cause.says, cause.where, cause.slug, tuple(one.text for one in cause.remedies))


def _places(ticks: Sequence[dict[str, Any]]) -> tuple[tuple[str, int, bool, float], ...]:
    """Where the main thread was when it was looked at."""
    seen: Counter[tuple[str, int, bool]] = Counter()
    for tick in ticks:
        if tick.get("at"):
            file, line, _, innermost = tick["at"]
            seen[os.path.relpath(file), line, str(innermost).endswith(READING)] += 1
    total = sum(seen.values())
    return tuple((*place, count / total) for place, count in seen.most_common(MOST_PLACES))


#: The innermost file of a thread that waits for the next element of a pipeline.
READING = (
    "/tensorflow/python/data/ops/iterator_ops.py",
    "/tensorflow/python/ops/gen_dataset_ops.py",
)


class Sources:
    """The user's files, read once, and the loops in them."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Callable[[int], list[int]], Callable[[int], list[While]]]] = {}

    def fors(self, file: str, line: int) -> Sequence[int]:
        """The lines of the `for` statements around a line."""
        return self._of(file)[0](line)

    def whiles(self, file: str, line: int) -> Sequence[While]:
        """The `while` statements around a line that count."""
        return self._of(file)[1](line)

    def _of(self, file: str) -> tuple[Callable[[int], list[int]], Callable[[int], list[While]]]:
        if file not in self._found:
            try:
                with open(file, encoding="utf-8", errors="replace") as source:
                    text = source.read()
            except OSError:
                text = ""
            self._found[file] = (fors_in(text), whiles_in(text))
        return self._found[file]
