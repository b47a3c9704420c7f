"""Recursion that ran into the end of the stack."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause


@cause("D306", since="0.1", needs=("stacks",), behind=("user-native-crashed", "native-op-crashed"))
def stack_overflow(evidence: Evidence) -> Iterator[Finding]:
    """A function that calls itself ran out of stack.

    ## What happened
    Python's recursion limit was raised, or the recursion goes through native code that does not count. The stack of the thread (8 MB by
    default) was used up, and the process died with "Segmentation fault" instead of `RecursionError`.

    ## How we know
    The process ended by SIGSEGV, and the crashing thread's stack is filled with one function calling itself.

    ## What to do
    Turn the recursion into a loop, or end it earlier. A higher recursion limit only moves the crash.
    """
    if not evidence.faulted("SIGSEGV", "SIGBUS") or evidence.crash is None:
        return
    place = evidence.crash.recursion
    if place is None:
        return
    yield Finding(
        f"`{place.function}` called itself until the stack of the thread was used up.",
        (
            Fact("fatal error", evidence.crash.headline, "faulthandler in the program"),
            Fact(
                "frames of this function at the crash",
                sum(frame.function == place.function for frame in evidence.crash.stacks[0].frames),
                "faulthandler, innermost hundred",
            ),
        ),
        Confidence.LIKELY,
        (Remedy("Make it a loop, or bound its depth; do not raise the recursion limit further."),),
        where=place,
    )
