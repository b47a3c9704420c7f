"""The processor lacks instructions that installed code is built with."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import ARCHITECTURE, CPU, CPU_FLAGS, PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import InstructionNeed, Trial
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: NumPy's names -> those of ``/proc/cpuinfo``.
NAMES = {
    "SSE": "sse", "SSE2": "sse2", "SSE3": "pni", "SSSE3": "ssse3", "SSE41": "sse4_1", "POPCNT": "popcnt",
    "SSE42": "sse4_2", "AVX": "avx", "F16C": "f16c", "FMA3": "fma", "AVX2": "avx2", "AVX512F": "avx512f",
    "AVX512CD": "avx512cd", "LAHF": "lahf_lm", "CX16": "cx16", "BMI": "bmi1", "BMI2": "bmi2", "LZCNT": "abm",
    "MOVBE": "movbe",
}  # fmt: skip
LEVELS = {
    "X86_V2": ("pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16", "lahf_lm"),
    "X86_V3": ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"),
    "X86_V4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}


@check("H101", since="0.2", needs=("python", "imports"), prevents=("illegal-instruction",))
def instructions_missing(here: Surroundings) -> Iterator[Finding]:
    """The CPU, or the hypervisor in front of it, lacks instructions that TensorFlow or another package is built with.

    ## Why it matters
    The wheels of TensorFlow on PyPI are built with AVX throughout; NumPy states a baseline of its own. On a CPU without
    these instructions, or in a virtual machine that hides them, the program dies at import or at the first operation:
    "Illegal instruction", or "The TensorFlow library was compiled to use AVX instructions, but these aren't available
    on your machine". NumPy reports which instruction sets it needs. For other packages a sample of their machine code
    is decoded; a need for AVX-512 cannot be seen in a sample.

    ## What to do
    Give a virtual machine the host's CPU type. On an old CPU, use a build that is made for it, or another machine.
    """
    flags = here.text(CPU_FLAGS)
    if here.text(ARCHITECTURE) not in ("x86_64", "AMD64"):
        yield here.unsure("Required instructions can be checked only on x86-64.", ARCHITECTURE)
        return
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    needs = [*here.python.instructions, *_of_numpy(here.python.trials.get("numpy"))]
    if flags is None:
        yield here.unknown(CPU_FLAGS)
        return
    have = set(flags.split())
    lacking = [
        (need, missing)
        for need in needs
        if (missing := [one for one in need.sets if one not in have])
    ]
    for need, missing in lacking:
        yield here.will_fail(
            f"{need.package} is built with {', '.join(missing).upper()}, which this CPU does not have.",
            Fact(f"{need.package} needs", " ".join(need.sets), need.source),
            CPU,
            remedies=_remedies("hypervisor" in have),
        )
    if not lacking and needs:
        told = "; ".join(f"{need.package} needs {' '.join(need.sets[-3:])}" for need in needs)
        facts = [Fact(f"{need.package} needs", " ".join(need.sets), need.source) for need in needs]
        yield here.fine(f"This CPU has what is needed ({told}).", *facts, CPU)
    if not needs:
        yield here.fine(
            "No installed package is known to need more than a baseline x86-64 CPU.",
            CPU,
        )


def _of_numpy(trial: Trial | None) -> list[InstructionNeed]:
    stated = str(trial.answers.get("cpu baseline", "")) if trial else ""
    sets: list[str] = []
    for word in stated.split():
        sets += LEVELS.get(word, ()) or ([NAMES[word]] if word in NAMES else [])
    return [InstructionNeed("numpy", tuple(sets), "numpy.__cpu_baseline__")] if sets else []


def _remedies(virtual: bool) -> tuple[Remedy, ...]:
    machine = Remedy("Run it on a machine whose CPU has them, or build the package for this one.")
    if not virtual:
        return (machine,)
    return (
        Remedy(
            "Use the host's CPU type for the virtual machine; the generic type hides instructions.",
            ("qemu-system-x86_64 -cpu host …", "virsh edit VM   # <cpu mode='host-passthrough'/>"),
        ),
        machine,
    )
