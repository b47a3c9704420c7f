"""A stack that was used up."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import cause


@cause(
    "D306",
    since="0.1",
    needs=("stacks", "crash"),
    behind=("user-native-crashed", "native-op-crashed"),
)
def stack_overflow(evidence: Evidence) -> Iterator[Finding]:
    """A function that calls itself ran out of stack.

    ## What happened
    Python's recursion limit was raised, or the recursion goes through native code that does not count. The stack of the thread (8 MB by
    default) was used up, and the process died with "Segmentation fault" instead of `RecursionError`.

    ## How we know
    The process ended by SIGSEGV, the crashing thread's stack is filled with one function calling itself, and the address of the fault
    lies just past the end of that stack.

    ## What to do
    Turn the recursion into a loop, or end it earlier. A higher recursion limit only moves the crash.
    """
    site, crash = evidence.site, evidence.crash
    if not evidence.faulted("SIGSEGV", "SIGBUS"):
        return
    if site is not None and site.fault is not None and not site.stack_used_up:
        return
    place = crash.recursion if crash is not None else None
    used_up = site is not None and site.stack_used_up
    if place is None and not used_up:
        return
    facts = list(evidence.facts_of_crash())
    if place is not None and crash is not None:
        says = f"`{place.function}` called itself until the stack of the thread was used up."
        facts.append(
            Fact(
                "frames of this function at the crash",
                sum(frame.function == place.function for frame in crash.stacks[0].frames),
                "faulthandler, innermost hundred",
            )
        )
        remedy = "Make it a loop, or bound its depth; do not raise the recursion limit further."
    else:
        room = site.fault.stack_bytes if site is not None and site.fault is not None else None
        of = f" of {size(room)}" if room else ""
        code = site.place if site is not None else ""
        by = f"{code} called itself" if site is not None and site.recursion else f"{code} needed"
        says = f"Native code used up the stack{of} of its thread: {by} more than it holds."
        if site is not None and site.recursion:
            says = f"Native code used up the stack{of} of its thread: {by} over and over."
        remedy = (
            "Give native code smaller or less deeply nested input, or a larger stack (ulimit -s)."
        )
    yield Finding(
        says,
        tuple(facts),
        Confidence.PROVEN if place is not None and used_up else Confidence.LIKELY,
        (Remedy(remedy),),
        where=place or evidence.crash_line or evidence.busy,
    )
