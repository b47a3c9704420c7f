"""An instruction that the CPU does not have."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.crash import Site
from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D308",
    since="0.1",
    needs=("crash",),
    behind=("native-op-crashed", "user-native-crashed"),
    searched=(
        "Illegal instruction (core dumped)",
        "exit code 132",
        "tensorflow was compiled to use AVX instructions, but these aren't available on your machine",
        "import tensorflow crashes old CPU",
        "tensorflow kernel died",
    ),
)
def illegal_instruction(evidence: Evidence) -> Iterator[Finding]:
    """Native code used an instruction that this CPU does not have, or a trap that stops the program on purpose.

    ## What happened
    A library was built for a newer CPU (AVX, AVX2, AVX-512, FMA) than this machine's, or the machine is emulated
    without them (Docker on another kind of CPU, an old virtual machine). Or native code reached a state that
    should be impossible and stopped itself with a trap (`ud2`), which is how compilers mark unreachable code.

    ## How we know
    The process was killed by SIGILL. A handler in the program kept the bytes of the instruction; they are decoded, and compared with what
    /proc/cpuinfo lists.

    ## What to do
    Install a build for this CPU, or run on a CPU that has the named instructions. After a trap, look for a message just before it.
    """
    if not evidence.crash.faulted("SIGILL"):
        return
    site = evidence.crash.site
    if site is None:
        return
    top = site.frames[0] if site.frames else None
    code = " ".join(site.code[at : at + 2] for at in range(0, len(site.code), 2))
    in_file = top is not None and top.file.startswith("/")
    where = f" in {site.place}" if in_file else " in code without a file"
    says, sure, remedies = _conclusion(site, where)
    yield Finding(
        says,
        (
            Fact("instruction", code, "memory at the program counter"),
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME),
        ),
        sure,
        remedies,
        where=evidence.crash.line or evidence.run.busy,
    )


def _conclusion(site: Site, where: str) -> tuple[str, Confidence, tuple[Remedy, ...]]:
    if site.trap:
        return (
            f"Native code{where} stopped the program on purpose with a trap ({site.trap}).",
            Confidence.PROVEN,
            (Remedy("Look for its last message; it detected a state it considers impossible."),),
        )
    names = site.instruction_set
    flag = {"AVX-512": "avx512", "SSE4.1": "sse4_1", "SSE4.2": "sse4_2"}.get(names, names.lower())
    look = Remedy("See what this CPU supports.", (f"grep -m1 -o '{flag}[^ ]*' /proc/cpuinfo",))
    if names and site.lacking:
        return (
            f"The CPU of this machine does not have {names}, which native code{where} uses.",
            Confidence.PROVEN,
            (
                Remedy(
                    f"Install a build without {names} (TensorFlow's own wheels need AVX), or run on a CPU that has it."
                ),
                look,
            ),
        )
    if names and site.lacking is False:
        return (
            f"An instruction of {names}{where} was refused, though the CPU lists {names}.",
            Confidence.LIKELY,
            (
                Remedy(
                    "Ask the administrator of the machine: a hypervisor or an emulator may block what it lists."
                ),
                look,
            ),
        )
    return (
        f"Native code{where} ran into bytes that are not an instruction of this CPU.",
        Confidence.LIKELY,
        (
            Remedy(
                "If it is your code, look for an overwritten function pointer; otherwise install a build for this CPU."
            ),
        ),
    )
