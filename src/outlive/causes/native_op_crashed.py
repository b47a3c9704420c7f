"""A TensorFlow kernel crashed."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

CRASHES = {
    "SIGSEGV": "read or wrote memory that is not its own",
    "SIGBUS": "touched memory that could not be provided",
    "SIGILL": "met an instruction that this CPU does not have",
}


@cause("D301", since="0.1", needs=("stacks",))
def native_op_crashed(evidence: Evidence) -> Iterator[Finding]:
    """A TensorFlow operation crashed in native code.

    ## What happened
    TensorFlow's kernels are C++; some of them trust their arguments. Indices past the end, row splits that do not fit, empty or
    NaN input, a window larger than the picture: instead of an exception the process dies with "Segmentation fault".

    ## How we know
    The process ended by such a signal, and at that moment its Python stack stood in TensorFlow's call of the operation.

    ## What to do
    Check the arguments of the named line: shapes, indices, empty tensors, NaN, `validate=False`. A newer TensorFlow may check them
    by itself.
    """
    name = evidence.fatal_signal
    if name is None or not evidence.faulted(*CRASHES) or evidence.crash is None:
        return
    stack = evidence.crash.stack_in("tensorflow", "keras", "tf_keras")
    if stack is None:
        return
    operation = stack.tensorflow_operation
    called = f"the TensorFlow operation {operation}" if operation else "TensorFlow"
    facts = [Fact("fatal error", evidence.crash.headline, "faulthandler in the program")]
    if stack.frames:
        top = stack.frames[0]
        facts.append(
            Fact(
                "innermost Python frame",
                f"{top.file}:{top.line} in {top.function}",
                "faulthandler",
                private=True,
            )
        )
    yield Finding(
        f"Native code called by {called} {CRASHES[name]} ({name}).",
        (*facts, *evidence.because("peak memory", "run time")),
        Confidence.LIKELY,
        (
            Remedy(
                "Check what this line gives to the operation: shapes, indices, empty input, NaN."
            ),
            Remedy(
                "Try the newest TensorFlow: such checks are added with every release.",
                ("pip install -U tensorflow",),
            ),
        ),
        where=stack.own,
    )
