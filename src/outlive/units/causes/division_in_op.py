"""SIGFPE in a TensorFlow kernel."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D303",
    since="0.1",
    needs=("stacks", "crash"),
    searched=(
        "Floating point exception (core dumped) tensorflow",
        "exit code 136",
        "SIGFPE tensorflow",
    ),
)
def division_in_op(evidence: Evidence) -> Iterator[Finding]:
    """A TensorFlow operation divided an integer by zero in native code.

    ## What happened
    A size that was zero reached a kernel that divides by it: a window larger than the picture, an empty batch, a stride or group of
    zero. The CPU stops the process with SIGFPE ("Floating point exception", though no floating-point number is involved).

    ## How we know
    The process was killed by SIGFPE, and at that moment the crashing thread was in TensorFlow's native code, or its
    Python stack in TensorFlow's call of the operation.

    ## What to do
    Check the sizes on the named line: the window against the picture, the number of elements, the strides.
    """
    stack = evidence.crash.tensorflow_call
    if not evidence.crash.faulted("SIGFPE") or stack is None:
        return
    operation = stack.tensorflow_operation
    called = f"The TensorFlow operation {operation}" if operation else "A TensorFlow operation"
    yield Finding(
        f"{called} divided an integer by zero in native code (SIGFPE).",
        (
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Check the sizes this line passes to the operation: a window larger than its input, an empty tensor."
            ),
        ),
        where=evidence.operation_of(stack)[0],
    )
