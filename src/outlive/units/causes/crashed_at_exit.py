"""A crash after the program was done."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Finding, Remedy
from outlive.units.unit import cause

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
    """The program had finished its work and crashed while it shut down.

    ## What happened
    After the last line Python runs the `atexit` functions, clears its modules and ends; then the destructors of C++
    libraries run. A thread that is still running, or two libraries that shut down in the wrong order, crash there. The
    work itself was done: what was written and closed before is complete. But the exit status is that of a signal, so
    schedulers and scripts treat the run as failed.

    ## How we know
    The process was killed by a fatal signal after its Python had run the last `atexit` function; or its main thread crashed in a function that
    no line of the program had called: Python itself calls functions only as it ends (`atexit`, `__del__`).

    ## What to do
    Stop what runs in the background before the end (threads, executors, sessions), and release large native objects
    yourself.
    """
    if not evidence.crash.faulted(*CRASHES):
        return
    finishing = evidence.crash.finishing
    if not finishing and not (evidence.run.program.finished and _is_the_program(evidence)):
        return
    got = evidence.signals.sender_of(evidence.run.fatal_signal or "")
    left = evidence.run.program.left_at
    if got is not None and got.at is not None and left is not None and got.at < left:
        return
    site = evidence.crash.site
    at = f" in {site.place}" if site is not None and site.place else ""
    yield Finding(
        f"The program had finished, and crashed while shutting down{at} ({evidence.run.fatal_signal}).",
        (*evidence.crash.facts(), *evidence.run.because(RUN_TIME)),
        Confidence.LIKELY if finishing else Confidence.PROVEN,
        (
            Remedy(
                "Stop background threads, executors and sessions before the last line, and delete large native objects."
            ),
            Remedy(
                "If the library cannot be fixed, exit without its destructors once everything is written.",
                ("sys.stdout.flush(); os._exit(0)",),
            ),
        ),
        where=evidence.crash.report.stacks[0].own
        if evidence.crash.report
        and evidence.crash.report.crashing_is_python
        and evidence.crash.report.stacks
        else evidence.crash.library_line,
    )


def _is_the_program(evidence: Evidence) -> bool:
    """Whether the process that crashed is the one that is known to have finished: a shell may run one Python after the other."""
    program, crash = evidence.run.program, evidence.crash.report
    return crash.pid == program.pid if crash is not None and crash.pid else program.alone
