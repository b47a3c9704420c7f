"""A crash after the program was done."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Finding, Remedy
from outlive.unit import cause

CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS")


@cause(
    "D311",
    since="0.1",
    behind=(
        "native-op-crashed",
        "user-native-crashed",
        "heap-corrupted",
        "tf-check-failed",
        "stack-overflow",
        "division-in-op",
        "illegal-instruction",
        "thread-stack-too-small",
    ),
    searched=(
        "segmentation fault at exit python",
        "segfault after script finished",
        "Segmentation fault (core dumped) tensorflow",
        "exit code 139",
    ),
)
def crashed_at_exit(evidence: Evidence) -> Iterator[Finding]:
    """The program had finished, and crashed while it was being torn down.

    ## What happened
    After the last line Python runs the `atexit` functions, clears its modules and ends; then the destructors of C++ libraries run. A
    thread that still works, or two libraries that are torn down in the wrong order, crash there. The work itself was done: what was
    written and closed before is whole. But the exit status is a signal's, and a pipeline takes the run for failed.

    ## How we know
    The process ended by a fatal signal after its Python had run the last `atexit` function; or its main thread crashed in a function that
    no line of the program had called: Python itself calls functions only as it ends (`atexit`, `__del__`).

    ## What to do
    Stop what runs in the background before the end (threads, executors, sessions), and let go of large native objects yourself.
    """
    if not evidence.faulted(*CRASHES):
        return
    finishing = evidence.finishing
    if not finishing and not evidence.program.finished:
        return
    got = evidence.sender_of(evidence.fatal_signal or "")
    left = evidence.program.left_at
    if got is not None and got.at is not None and left is not None and got.at < left:
        return
    site = evidence.site
    at = f" in {site.place}" if site is not None and site.place else ""
    yield Finding(
        f"The program had finished and crashed while it was torn down{at} ({evidence.fatal_signal}).",
        (*evidence.facts_of_crash(), *evidence.because("run time")),
        Confidence.LIKELY if finishing else Confidence.PROVEN,
        (
            Remedy(
                "Stop background threads, executors and sessions before the last line; delete large native objects there."
            ),
            Remedy(
                "If the library cannot be helped, end without its destructors when all is written.",
                ("sys.stdout.flush(); os._exit(0)",),
            ),
        ),
        where=evidence.crash.stacks[0].own
        if evidence.crash and evidence.crash.crashing_is_python and evidence.crash.stacks
        else evidence.library_line,
    )
