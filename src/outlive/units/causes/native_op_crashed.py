"""A TensorFlow kernel crashed."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import PEAK_MEMORY, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.units.unit import cause

CRASHES = {
    "SIGSEGV": "accessed memory that does not belong to it",
    "SIGBUS": "accessed memory that could not be provided",
    "SIGILL": "used an instruction that this CPU does not have",
    "SIGTRAP": "ran into a trap",
    "SIGSYS": "made a system call that is blocked here (seccomp)",
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
    The process was killed by such a signal, and at that moment the crashing thread was in TensorFlow's native code (a
    handler in the program kept its frames), or its Python stack was in TensorFlow's call of the operation. In a
    pipeline or a traced function Python only waits: then the line is the only one in the program that uses the kernel
    or the stage that crashed.

    ## What to do
    Check the arguments of the named line: shapes, indices, empty tensors, NaN, `validate=False`. A newer TensorFlow may check them
    by itself.
    """
    name = evidence.run.fatal_signal
    stack = evidence.crash.tensorflow_call
    if name is None or stack is None or not evidence.crash.faulted(*CRASHES):
        return
    kernel = evidence.crash.site.kernel if evidence.crash.site else ""
    operation = stack.tensorflow_operation
    called = f"the TensorFlow operation {operation}" if operation else "TensorFlow"
    by = f"The kernel {kernel}" if kernel else f"Native code called by {called}"
    of = ""
    if kernel and operation:
        same = kernel.lower().startswith(operation.replace("_", ""))
        of = f" of {called}" if same else f", while the program was in {called},"
    facts = list(evidence.crash.facts())
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
        (*facts, *evidence.run.because(PEAK_MEMORY, RUN_TIME)),
        Confidence.LIKELY,
        (
            Remedy(
                "Check what this line passes to the operation: shapes, indices, empty input, NaN."
            ),
            Remedy(
                "Try the latest TensorFlow: every release adds such checks.",
                ("pip install -U tensorflow",),
            ),
        ),
        where=where,
    )
