"""A CHECK in TensorFlow's C++ failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import FATAL_LINE, LAST_LINE_SEEN, PEAK_MEMORY, RUN_TIME
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

FATAL = re.compile(
    r"\bF(?:\d{4})?[ \d:.]*\s(?P<where>\S+\.(?:cc|cpp|h|cu)(?:\.cc)?:\d+)\] (?P<why>.*)"
)

#: With this status absl ends a process after a message that is not worth a stack (`QFATAL`).
STATUS = 1
VARIABLE = re.compile(r"\b([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40})\b")

#: Checks of an index against the number of dimensions, as tensor_shape and tensor_format have them.
DIMENSIONS = bounded(
    r"\bdims\(\)|num_total_dims|\bndims\b|Must be (?:a vector|a matrix|at least rank)"
)
TOO_FEW_DIMENSIONS = (
    "An argument of this call has fewer dimensions than the operation takes: look up in its documentation how many each one needs, "
    "and print every argument's shape (and the length of lists such as strides) before the call."
)


@cause(
    "D302",
    since="0.1",
    needs=("stderr",),
    behind=("native-op-crashed", "exited-without-cleanup"),
    searched=(
        "F tensorflow Check failed:",
        "Fatal Python error: Aborted",
        "Aborted (core dumped)",
        "exit code 134",
        "tensorflow kernel died",
        "Unknown flag in XLA_FLAGS",
    ),
)
def tf_check_failed(evidence: Evidence) -> Iterator[Finding]:
    """TensorFlow met a state that it considers impossible and aborted the process.

    ## What happened
    A `CHECK` in the C++ runtime failed: an argument that the Python side did not verify, a shape that overflows, a
    driver that does not fit. It ends the process at once, with "Aborted": no exception, no cleanup. Some of them exit
    with status 1 instead, which looks as if the program had ended by itself: XLA does with a flag in `XLA_FLAGS` that
    it does not know.

    ## How we know
    The process was killed by SIGABRT, and the last fatal line of its log names the check; or it exited with status 1, Python never reached its own
    shutdown, nothing in the program asked for the exit, and a fatal line is the last thing that it wrote.

    ## What to do
    Read the check: it names what must hold. Most of them guard a shape, an index or an empty tensor of the named line.
    """
    exited = _exited(evidence)
    if evidence.run.fatal_signal != "SIGABRT" and not exited:
        return
    if any(quit.call in ("os.abort", "os._exit") for quit in evidence.exits.quits):
        return
    lines = [line for line in evidence.run.log.splitlines() if line.strip()]
    fatal = [found for line in lines[-1 if exited else 0 :] if (found := FATAL.search(line))]
    if not fatal:
        return
    last = fatal[-1]
    if exited:
        yield from _quit(evidence, last)
        return
    stack = (
        evidence.crash.report.stack_in("tensorflow", "keras", "tf_keras")
        if evidence.crash.report
        else None
    )
    operation = stack.tensorflow_operation if stack else None
    kernel = evidence.crash.site.kernel if evidence.crash.site else ""
    called = f" in the operation {operation}" if operation else ""
    called = called or (f" in the kernel {kernel}" if kernel else "")
    where = evidence.operation_of(stack)[0] if stack else None
    yield Finding(
        f"TensorFlow aborted{called}: {last['why'].strip()[:200]} ({last['where'].rpartition('/')[2]}).",
        (
            Fact(FATAL_LINE, last[0][:400], "stderr"),
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME, PEAK_MEMORY),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                TOO_FEW_DIMENSIONS
                if DIMENSIONS.search(last["why"])
                else "Make the arguments of this line satisfy the check; verify shapes before the call."
            ),
        ),
        where=where or evidence.crash.line or evidence.run.busy,
    )


def _exited(evidence: Evidence) -> bool:
    """Whether native code ended the process with status 1: Python did not end it, and never came to its shutdown."""
    run = evidence.run
    ended = run.ending.kind is EndingKind.EXIT and run.ending.exit_code == STATUS
    return ended and bool(run.program.python) and run.program.alone and not run.program.finished


def _quit(evidence: Evidence, last: re.Match[str]) -> Iterator[Finding]:
    """A fatal message after which the process exits instead of aborting."""
    why, place = last["why"].strip()[:200], last["where"].rpartition("/")[2]
    variable = VARIABLE.search(why)
    named = (
        (Remedy(f"Correct the environment variable {variable[1]} where it is set."),)
        if variable
        else ()
    )
    yield Finding(
        f"Native code ended the process with a fatal message: {why} ({place}).",
        (
            Fact(FATAL_LINE, last[0][:400], "stderr"),
            *evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
        ),
        Confidence.PROVEN,
        (
            *named,
            Remedy("Correct what the message names before this line runs: nothing can catch it."),
        ),
        where=evidence.run.busy,
    )
