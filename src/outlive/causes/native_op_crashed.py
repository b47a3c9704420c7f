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
    "SIGTRAP": "ran into a trap",
    "SIGSYS": "made a system call that is forbidden here (seccomp)",
}


@cause(
    "D301",
    since="0.1",
    needs=("stacks", "crash"),
    searched=(
        "Segmentation fault (core dumped) tensorflow",
        "exit code 139",
        "Fatal Python error: Segmentation fault in tensorflow/python/eager/execute.py",
        "tensorflow op segfault",
        "tensorflow kernel died",
    ),
)
def native_op_crashed(evidence: Evidence) -> Iterator[Finding]:
    """A TensorFlow operation crashed in native code.

    ## What happened
    TensorFlow's kernels are C++; some of them trust their arguments. Indices past the end, row splits that do not fit, empty or
    NaN input, a window larger than the picture: instead of an exception the process dies with "Segmentation fault".

    ## How we know
    The process ended by such a signal, and at that moment the crashing thread stood in TensorFlow's native code (its frames were
    kept by a handler in the program), or its Python stack in TensorFlow's call of the operation. In a pipeline or a traced function
    Python only waits: then the line is the only one of the program that asks for the kernel or the stage which crashed.

    ## What to do
    Check the arguments of the named line: shapes, indices, empty tensors, NaN, `validate=False`. A newer TensorFlow may check them
    by itself.
    """
    name = evidence.fatal_signal
    stack = evidence.tensorflow_call
    if name is None or stack is None or not evidence.faulted(*CRASHES):
        return
    kernel = evidence.site.kernel if evidence.site else ""
    operation = stack.tensorflow_operation
    called = f"the TensorFlow operation {operation}" if operation else "TensorFlow"
    by = f"The kernel {kernel}" if kernel else f"Native code called by {called}"
    of = ""
    if kernel and operation:
        same = kernel.lower().startswith(operation.replace("_", ""))
        of = f" of {called}" if same else f", while the program was in {called},"
    facts = list(evidence.facts_of_crash())
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
    where, known_by = evidence.operation_of(stack)
    if known_by and stack.own is not None:
        facts.append(Fact("line", str(where), known_by))
        facts.append(Fact("waited for at", str(stack.own), "faulthandler"))
    yield Finding(
        f"{by}{of} {CRASHES[name]} ({name}).",
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
        where=where,
    )
