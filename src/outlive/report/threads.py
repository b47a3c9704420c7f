"""The threads of a dead program as a person reads them: its own lines first, then all of it, Python and native code in one stack."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from outlive.model.crash import EVALUATION, NativeFrame
from outlive.model.events import Stack
from outlive.model.evidence import Evidence
from outlive.model.findings import Place
from outlive.model.quick_dataclass import dataclass

MOST_THREADS = 12

#: The recorder's own thread is no news. The second is where it was until 0.1, in records that are kept.
OURS = ("/outlive/inside/", "/outlive/record/inside/")

#: Until this version every Python frame had a frame of the interpreter's loop to itself; since then calls from Python to Python share one.
LAST_WITH_A_LOOP_EACH = (3, 10)


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread at the death, innermost frame first."""

    name: str
    frames: tuple[Place | NativeFrame, ...]
    at: float | None = None
    #: Native frames below, whose places between Python's frames are not known.
    beneath: tuple[NativeFrame, ...] = ()

    @property
    def own(self) -> tuple[Place, ...]:
        """The lines of the program itself."""
        return tuple(frame for frame in self.frames if isinstance(frame, Place) and frame.own)


def threads_of(evidence: Evidence) -> Sequence[Thread]:
    """Those of the crash, else the last that were seen; those with lines of the program's own first."""
    crash, site = evidence.crash.report, evidence.crash.site
    stacks = [
        stack
        for number, stack in enumerate(
            crash.stacks if crash and crash.stacks else evidence.run.stacks
        )
        if number == 0
        or not all(any(folder in frame.file for folder in OURS) for frame in stack.frames)
    ]
    found: list[Thread] = []
    if site is not None and site.frames:
        crashed = stacks.pop(0) if stacks and crash and crash.crashing_is_python else None
        got = evidence.signals.sender_of(evidence.run.fatal_signal or "")
        name = "the crashing thread" + (f" ({got.thread})" if got and got.thread else "")
        frames, beneath = merged(
            crashed.frames if crashed else (), site.frames, _version(evidence.run.program.python)
        )
        found.append(Thread(name, frames, beneath=beneath))
    rest = sorted((_plain(stack) for stack in stacks), key=lambda thread: not thread.own)
    return [*found, *rest][:MOST_THREADS]


def merged(
    python: Sequence[Place], native: Sequence[NativeFrame], version: tuple[int, int]
) -> tuple[tuple[Place | NativeFrame, ...], tuple[NativeFrame, ...]]:
    """Both stacks of one thread as one, and what of the native one cannot be placed.

    Where Python calls native code, that code lies above the interpreter's loop which runs the Python frame. The innermost call is
    always known; the ones further out only as long as every Python frame has a loop to itself.
    """
    parts = _between_loops(native)
    if not python:
        return tuple(native), ()
    if version > LAST_WITH_A_LOOP_EACH:
        return (*parts[0], *python), tuple(itertools.chain.from_iterable(parts[1:]))
    frames: list[Place | NativeFrame] = []
    for part, place in itertools.zip_longest(parts, python):
        frames += part or ()
        frames += [place] if place is not None else []
    return tuple(frames), ()


def _between_loops(native: Sequence[NativeFrame]) -> list[list[NativeFrame]]:
    parts: list[list[NativeFrame]] = [[]]
    for frame in native:
        if frame.function == EVALUATION[0]:
            parts.append([])
        else:
            parts[-1].append(frame)
    return parts


def _plain(stack: Stack) -> Thread:
    return Thread("main thread" if stack.main else f"thread {stack.thread}", stack.frames, stack.at)


def _version(text: str) -> tuple[int, int]:
    numbers = [int(word) for word in text.split(".")[:2] if word.isdigit()]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (3, 11)
