"""A crash in native code that the user called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.crash import NativeFrame, Site
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS", "SIGABRT")

#: The last words of C++ and of the C library when they give up.
GIVING_UP = bounded(
    r"^(terminate called .*(?:\n\s+what\(\): .*)?|.*: Assertion `.*' failed\.|\*\*\* .* \*\*\*: terminated)$",
    re.MULTILINE,
)
TENSORFLOW = ("tensorflow", "keras", "tf_keras")


@cause(
    "D304",
    since="0.1",
    needs=("stacks", "crash"),
    searched=(
        "ctypes segmentation fault",
        "segfault in C extension python",
        "Segmentation fault (core dumped) tensorflow",
        "exit code 139",
        "tensorflow kernel died",
    ),
)
def user_native_crashed(evidence: Evidence) -> Iterator[Finding]:
    """Native code that the program called crashed: a `ctypes` call, an extension module, or a library other than TensorFlow.

    ## What happened
    A function in C was given an address, a length or a type that does not fit, and accessed memory that does not belong
    to it. Python cannot check such calls; the process dies with "Segmentation fault". Or native code stopped itself: an
    uncaught C++ exception, or a failed assertion ("Aborted").

    ## How we know
    The process was killed by such a signal while the crashing thread was at this line of your code (or in the named
    package), not in TensorFlow. The native frames, which a handler in the program kept, name the shared object and the
    function.

    ## What to do
    Check the arguments of the call: lengths in bytes or in elements, lifetimes of buffers, `argtypes` and `restype`.
    """
    crash, site = evidence.crash.report, evidence.crash.site
    if not evidence.crash.faulted(*CRASHES) or evidence.crash.tensorflow_call is not None:
        return
    if evidence.crash.aborted_unseen or (
        site is not None and (site.stack_used_up or site.in_tensorflow)
    ):
        return
    known = crash is not None and crash.crashing_is_python and bool(crash.stacks)
    if crash is None or not known:
        yield from _in_an_unknown_thread(evidence)
        return
    if crash.recursion is not None and (site is None or site.fault is None):
        return
    if crash.stacks[0].package in TENSORFLOW and (site is None or site.in_tensorflow is None):
        return
    top = crash.stacks[0].frames[0]
    through = (
        "a ctypes call"
        if "/ctypes/" in top.file or (site is not None and _by_ctypes(site.call))
        else f"the package {top.package}"
        if top.package
        else "a native call"
    )
    called = (
        f"ctypes.{top.function}"
        if "/ctypes/" in top.file
        else f"Native code called through {through}"
    )
    at = f" in {site.place}" if site is not None and site.place else ""
    words = _last_words(evidence)
    did = f"aborted: {words}" if words else f"crashed{at}{_accessed(site)}"
    yield Finding(
        f"{called} {did} ({evidence.run.fatal_signal}).",
        (
            *((Fact("last words", words, "stderr"),) if words else ()),
            *evidence.crash.facts(),
            Fact(
                "innermost Python frame",
                f"{top.file}:{top.line} in {top.function}",
                "faulthandler",
                private=True,
            ),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.LIKELY,
        (Remedy(_advice(site, through)),),
        where=crash.stacks[0].own,
    )


def _advice(site: Site | None, through: str) -> str:
    """Say what to check first: by what is at the address that was used."""
    address = site.fault.words if site is not None and site.fault is not None else ""
    if "null pointer" in address:
        return (
            "The pointer is null, or only a part of one: check it before it is used (`if not pointer: raise …`). A function of ctypes that returns a pointer "
            "needs restype = ctypes.c_void_p or c_char_p: without it 32 bits are left."
        )
    if "nothing is mapped" in address and through.startswith("the package"):
        return (
            "The memory behind this array was freed or unmapped: make a copy while its owner lives (np.array(view, copy=True)), or keep the owner (the mmap, "
            "the buffer, the library's object) as long as the array."
        )
    return "Check the arguments of this call: sizes in bytes, lifetimes of buffers, argtypes and restype."


def _in_an_unknown_thread(evidence: Evidence) -> Iterator[Finding]:
    """Only the native frames tell: of a thread that Python does not know, or without a dump of Python's stacks."""
    site = evidence.crash.site
    if site is None or (site.top is None and site.fault is None):
        return
    at = f" in {site.place}" if site.place else ""
    own_thread = ", in its own thread" if evidence.crash.report is not None else ""
    owner = site.top.library if site.top is not None and site.top.library else "native code"
    known = site.top is not None and not site.top.plumbing
    yield Finding(
        f"Native code crashed{at}{own_thread} ({evidence.run.fatal_signal}).",
        (*evidence.crash.facts(), *evidence.run.because(RUN_TIME, LAST_LINE_SEEN)),
        Confidence.LIKELY if known else Confidence.POSSIBLE,
        (Remedy(f"Check what was passed to {owner}: sizes, lifetimes of buffers, callbacks."),),
        where=evidence.crash.line or evidence.run.busy,
    )


def _accessed(site: Site | None) -> str:
    """Say which address native code used, where that is known."""
    if site is None or site.fault is None or site.fault.address is None:
        return ""
    return f": it accessed address {site.fault.words}"


def _last_words(evidence: Evidence) -> str:
    """What native code said before it aborted."""
    said = GIVING_UP.findall(evidence.run.log) if evidence.run.fatal_signal == "SIGABRT" else []
    return " ".join(said[-1].split())[:200] if said else ""


def _by_ctypes(call: tuple[NativeFrame, ...]) -> bool:
    return any(frame.library.startswith("_ctypes.") for frame in call)
