"""A thread with a small stack."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import PYTHON_FRAMES_ON_THE_STACK, RUN_TIME, STACK_OF_THE_THREAD
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import cause

#: What native code may take for granted: the smallest default of the systems that Python runs on is a quarter of this.
SMALL_BYTES = 2 << 20


@cause(
    "D307",
    since="0.1",
    needs=("crash",),
    behind=("stack-overflow", "user-native-crashed", "native-op-crashed"),
    searched=(
        "threading.stack_size segmentation fault",
        "segfault only in a thread",
        "Segmentation fault (core dumped) tensorflow",
        "exit code 139",
    ),
)
def thread_stack_too_small(evidence: Evidence) -> Iterator[Finding]:
    """A thread's stack was too small for ordinary work.

    ## What happened
    `threading.stack_size(n)` sets the stack of every thread that is started afterwards; some libraries do it to save memory. The main
    thread has 8 MB, and so has a thread by default. Regular expressions, deep calls of Python and TensorFlow's kernels need hundreds of
    kilobytes; when the stack is used up the process dies with "Segmentation fault".

    ## How we know
    The address of the fault lies just past the end of the stack of a thread that is not the main one, and that stack was small.

    ## What to do
    Leave the size as it is (`threading.stack_size(0)`), or give such threads 8 MB: memory that is not touched costs nothing.
    """
    site = evidence.crash.site
    if site is None or site.main_thread or not site.stack_used_up or site.fault is None:
        return
    room = site.thread_stack_bytes or site.fault.stack_bytes
    if room is None or room > SMALL_BYTES or not evidence.crash.faulted("SIGSEGV", "SIGBUS"):
        return
    crash = evidence.crash.report
    where = crash.stacks[0].own if crash and crash.crashing_is_python else evidence.crash.line
    depth = len(crash.stacks[0].frames) if crash and crash.crashing_is_python else 0
    yield Finding(
        f"A thread's stack of {size(room)} was exhausted (the main thread has 8 MB).",
        (
            *evidence.crash.facts(),
            Fact(STACK_OF_THE_THREAD, room, "the start of the thread, or /proc/PID/maps"),
            *((Fact(PYTHON_FRAMES_ON_THE_STACK, depth, "faulthandler"),) if depth else ()),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.LIKELY,
        (
            Remedy(
                "Use the default stack: remove threading.stack_size, or set 8 MB before starting threads.",
                ("threading.stack_size(8 * 1024 * 1024)",),
            ),
        ),
        where=where,
    )
