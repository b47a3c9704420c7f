"""A stack that was used up."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.crash import Site
from outlive.model.evidence import Evidence
from outlive.model.fact_names import FRAMES_OF_THIS_FUNCTION_AT_THE_CRASH
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import cause


@cause(
    "D306",
    since="0.1",
    needs=("stacks", "crash"),
    behind=("user-native-crashed", "native-op-crashed"),
    searched=(
        "sys.setrecursionlimit segmentation fault",
        "Fatal Python error: Cannot recover from stack overflow",
        "Segmentation fault (core dumped) tensorflow",
        "exit code 139",
    ),
)
def stack_overflow(evidence: Evidence) -> Iterator[Finding]:
    """A function that calls itself ran out of stack.

    ## What happened
    Python's recursion limit was raised, or the recursion goes through native code that does not count. The stack of the thread (8 MB by
    default) was used up, and the process died with "Segmentation fault" instead of `RecursionError`.

    ## How we know
    The process was killed by SIGSEGV, the crashing thread's stack is filled with one function calling itself, and the address of the fault
    lies just past the end of that stack.

    ## What to do
    Turn the recursion into a loop, or end it earlier. A higher recursion limit only moves the crash.
    """
    site, crash = evidence.crash.site, evidence.crash.report
    if not evidence.crash.faulted("SIGSEGV", "SIGBUS"):
        return
    if site is not None and site.fault is not None and not site.stack_used_up:
        return
    place = crash.recursion if crash is not None else None
    used_up = site is not None and site.stack_used_up
    if place is None and not used_up:
        return
    facts = list(evidence.crash.facts())
    if place is not None and crash is not None:
        says = f"`{place.function}` called itself until the thread's stack was exhausted."
        facts.append(
            Fact(
                FRAMES_OF_THIS_FUNCTION_AT_THE_CRASH,
                sum(frame.function == place.function for frame in crash.stacks[0].frames),
                "faulthandler, innermost hundred",
            )
        )
        remedy = "Make it a loop, or bound its depth; do not raise the recursion limit further."
    else:
        says = _native(site) if site is not None else ""
        remedy = "Pass smaller or less deeply nested input to native code, or use a larger stack (ulimit -s)."
    yield Finding(
        says,
        tuple(facts),
        Confidence.PROVEN if place is not None and used_up else Confidence.LIKELY,
        (Remedy(remedy),),
        where=place or evidence.crash.line or evidence.run.busy,
    )


def _native(site: Site) -> str:
    """No function of Python's is there again and again: native code alone used the stack."""
    room = site.fault.stack_bytes if site.fault is not None else None
    of = f" of {size(room)}" if room else ""
    how = "called itself repeatedly" if site.recursion else "needed more than that"
    return f"Native code exhausted its thread's stack{of}: {site.place} {how}."
