"""A CHECK in TensorFlow's C++ failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

FATAL = re.compile(
    r"\bF(?:\d{4})?[ \d:.]*\s(?P<where>\S+\.(?:cc|cpp|h|cu)(?:\.cc)?:\d+)\] (?P<why>.*)"
)


@cause(
    "D302",
    since="0.1",
    needs=("stderr",),
    behind=("native-op-crashed",),
    searched=(
        "F tensorflow Check failed:",
        "Fatal Python error: Aborted",
        "Aborted (core dumped)",
        "exit code 134",
        "tensorflow kernel died",
    ),
)
def tf_check_failed(evidence: Evidence) -> Iterator[Finding]:
    """TensorFlow met a state that it considers impossible and aborted the process.

    ## What happened
    A `CHECK` in the C++ runtime failed: an argument that the Python side did not verify, a shape that overflows, a driver that
    does not fit. It ends the process at once, with "Aborted": no exception, no cleanup.

    ## How we know
    The process ended by SIGABRT, and the last fatal line of its log names the check.

    ## What to do
    Read the check: it names what must hold. Most of them guard a shape, an index or an empty tensor of the named line.
    """
    if evidence.fatal_signal != "SIGABRT":
        return
    if any(quit.call == "os.abort" for quit in evidence.quits):
        return
    fatal = [found for line in evidence.log.splitlines() if (found := FATAL.search(line))]
    if not fatal:
        return
    last = fatal[-1]
    stack = evidence.crash.stack_in("tensorflow", "keras", "tf_keras") if evidence.crash else None
    operation = stack.tensorflow_operation if stack else None
    kernel = evidence.site.kernel if evidence.site else ""
    called = f" in the operation {operation}" if operation else ""
    called = called or (f" in the kernel {kernel}" if kernel else "")
    where = evidence.operation_of(stack)[0] if stack else None
    yield Finding(
        f"TensorFlow aborted itself{called}: {last['why'].strip()[:200]} ({last['where'].rpartition('/')[2]}).",
        (
            Fact("fatal line", last[0][:400], "stderr"),
            *evidence.facts_of_crash(),
            *evidence.because("run time", "peak memory"),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Make what this line gives to the operation satisfy the check; verify shapes before the call."
            ),
        ),
        where=where or evidence.crash_line or evidence.busy,
    )
