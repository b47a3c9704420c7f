"""A crash in native code that the user called."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE")
TENSORFLOW = ("tensorflow", "keras", "tf_keras")


@cause("D304", since="0.1", needs=("stacks",))
def user_native_crashed(evidence: Evidence) -> Iterator[Finding]:
    """Native code that the program called crashed: a `ctypes` call, an extension module, another library than TensorFlow.

    ## What happened
    A function in C was given an address, a length or a type that does not fit, and read or wrote memory that is not its own. Python
    cannot check such calls; the process dies with "Segmentation fault".

    ## How we know
    The process ended by such a signal while the crashing thread stood at this line of your code (or in the named package), not in
    TensorFlow.

    ## What to do
    Check the arguments of the call: lengths in bytes or in elements, lifetimes of buffers, `argtypes` and `restype`.
    """
    crash = evidence.crash
    name = evidence.fatal_signal
    if not evidence.faulted(*CRASHES) or crash is None or not crash.crashing_is_python:
        return
    if crash.recursion is not None or crash.stacks[0].package in TENSORFLOW:
        return
    top = crash.stacks[0].frames[0]
    through = (
        "a ctypes call"
        if "/ctypes/" in top.file
        else f"the package {top.package}"
        if top.package
        else "a native call"
    )
    yield Finding(
        f"Native code called through {through} crashed ({name}).",
        (
            Fact("fatal error", crash.headline, "faulthandler in the program"),
            Fact(
                "innermost Python frame",
                f"{top.file}:{top.line} in {top.function}",
                "faulthandler",
                private=True,
            ),
            *evidence.because("run time"),
        ),
        Confidence.LIKELY,
        (
            Remedy(
                "Check the arguments of this call: sizes in bytes, lifetimes of buffers, argtypes and restype."
            ),
        ),
        where=crash.stacks[0].own,
    )
