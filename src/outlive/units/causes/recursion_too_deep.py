"""A function that calls itself too often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Fact, Finding, Place, Remedy
from outlive.units.unit import cause

#: Of the innermost frames: fewer repetitions are no recursion.
FEWEST = 3
DEEP = 50


@cause(
    "D903",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "RecursionError: maximum recursion depth exceeded",
        "maximum recursion depth exceeded while calling a Python object",
        "RecursionError __getattr__",
    ),
)
def recursion_too_deep(evidence: Evidence) -> Iterator[Finding]:
    """A function called itself, directly or through others, until Python's limit on call depth was reached.

    ## What happened
    The recursion has no end (the argument that should shrink does not), a structure contains itself, or the data is nested deeper
    than Python's limit of about 1000 calls.

    ## How we know
    Python raised `RecursionError`; the same lines repeat in its traceback. Whether the arguments changed between the first and the last
    call was read as the program ended.

    ## What to do
    Make each call smaller than the one before (`block(x, depth - 1)`), or use a loop with a list of what is left to do.
    `sys.setrecursionlimit` only moves the limit; set too high, the stack overflows and the process crashes.
    """
    error = evidence.errors.fatal
    if error is None or not evidence.run.failed or evidence.run.ending.signal:
        return
    deep = next((link for link in error.passed_on() if link.is_a("RecursionError")), None)
    if deep is None:
        return
    repeated = _repeated(deep)
    # Of a recursion inside a C function (json, pickle, copy) the traceback shows only the call.
    depth = f" {deep.depth} calls deep" if (deep.depth or 0) >= DEEP else ""
    same, changed = _arguments(evidence, repeated)
    never = f"; `{same[0][0]}` is {same[0][1]} in the first call and in the last" if same else ""
    says = (
        f"`{repeated.function}` called itself repeatedly,{depth}{never}."
        if repeated is not None
        else f"Calls were nested too deep{depth and ','}{depth}: {deep.message.strip()[:150]}."
    )
    yield Finding(
        says,
        (
            Fact("exception", f"{deep.type}: {deep.message.strip()[:200]}", "the program"),
            *(
                Fact(
                    f"`{name}`",
                    f"{value} in the first call and in the last",
                    "the program's variables",
                )
                for name, value in same
            ),
            *(
                Fact(
                    f"`{name}`",
                    f"{first} in the first call, {last} in the last",
                    "the program's variables",
                )
                for name, first, last in changed
            ),
        ),
        evidence.errors.sure_of(error),
        (
            Remedy(
                f"Make `{same[0][0]}` smaller in the recursive call, so that it terminates."
                if same
                else "Make every call smaller than the one before, or use a loop with a list of remaining work."
            ),
        ),
        where=repeated or deep.own,
    )


def _repeated(deep: Thrown) -> Place | None:
    """The user's line that stands in the traceback most often."""
    counted = Counter(
        (frame.file, frame.line, frame.function) for frame in deep.frames if frame.own
    )
    if not counted:
        return None
    key, count = counted.most_common(1)[0]
    if count < FEWEST:
        return None
    return next(frame for frame in deep.frames if (frame.file, frame.line, frame.function) == key)


Same = list[tuple[str, int | float]]
Changed = list[tuple[str, int | float, int | float]]


def _arguments(evidence: Evidence, repeated: Place | None) -> tuple[Same, Changed]:
    """The numbers that the recursing function held in its first and in its last call."""
    same: Same = []
    changed: Changed = []
    if repeated is None:
        return same, changed
    numbers: dict[str, list[int | float]] = {}
    for held in evidence.scene.values:
        if held.number is not None and held.frame.function == repeated.function:
            numbers.setdefault(held.name, []).append(held.number)
    for name, values in numbers.items():
        if len(values) >= 2 and values[0] == values[-1]:
            same.append((name, values[0]))
        elif len(values) >= 2:
            changed.append((name, values[0], values[-1]))
    # A number that stays while another moves is no proof of an endless recursion.
    return (same, []) if not changed else ([], changed)
