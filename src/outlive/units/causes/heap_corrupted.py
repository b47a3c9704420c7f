"""The C library found its heap damaged and aborted the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

HEAP_CHECK = bounded(
    r"^.{0,20}?(?P<check>(?:\w{0,40}(?:alloc|free|chunk|consolidate)\w{0,40}\(\): .+)|double free or corruption.*"
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
    The process was killed by SIGABRT, and the C library's last words name the check of the heap that failed.

    ## What to do
    If the named line frees something, it is the second time. Otherwise look at native code that ran before it. `valgrind` or
    AddressSanitizer find the first wrong write.
    """
    if not evidence.crash.faulted("SIGABRT"):
        return
    checks = list(HEAP_CHECK.finditer(evidence.run.log))
    if not checks:
        return
    message = checks[-1]["check"].strip()
    double = "double free" in message
    yield Finding(
        f"The heap is corrupted: {message}.",
        (
            Fact("last message of the C library", message, "stderr"),
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Free each block once: clear the pointer after freeing it."
                if double
                else "Look for native code that writes past a block, at or before this line."
            ),
        ),
        where=evidence.crash.line or evidence.run.busy,
    )
