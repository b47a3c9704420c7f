"""glibc's heap checks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

HEAP_CHECK = re.compile(
    r"^.{0,20}?(?P<check>(?:\w*(?:alloc|free|chunk|consolidate)\w*\(\): .+)|double free or corruption.*"
    r"|corrupted (?:size vs\. prev_size|double-linked list).*)$",
    re.MULTILINE,
)


@cause(
    "D305",
    since="0.1",
    needs=("stderr",),
    behind=("user-native-crashed",),
    searched=(
        "double free or corruption (out)",
        "free(): invalid pointer",
        "munmap_chunk(): invalid pointer",
        "malloc(): invalid size (unsorted)",
        "corrupted size vs. prev_size",
        "Aborted (core dumped)",
        "exit code 134",
    ),
)
def heap_corrupted(evidence: Evidence) -> Iterator[Finding]:
    """The memory allocator found its own records damaged and aborted the process.

    ## What happened
    Native code freed the same block twice, freed what was never allocated, or wrote past the end of a block. The allocator notices at a
    later call, which may be far from the culprit, and aborts.

    ## How we know
    The process ended by SIGABRT, and the C library's last words name the check of the heap that failed.

    ## What to do
    If the named line frees something, it is the second time. Otherwise look at native code that ran before it. `valgrind` or
    AddressSanitizer find the first wrong write.
    """
    if not evidence.faulted("SIGABRT"):
        return
    checks = list(HEAP_CHECK.finditer(evidence.log))
    if not checks:
        return
    message = checks[-1]["check"].strip()
    double = "double free" in message
    yield Finding(
        f"The heap is damaged: {message}.",
        (
            Fact("last words of the C library", message, "stderr"),
            *evidence.facts_of_crash(),
            *evidence.because("run time"),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Free each block once: forget the pointer when it is freed."
                if double
                else "Look for native code that writes past a block, at or before this line."
            ),
        ),
        where=evidence.crash_line or evidence.busy,
    )
