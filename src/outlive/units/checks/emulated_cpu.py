"""x86 code on a processor of another kind."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import ARCHITECTURE, CPU, EMULATOR, GENERIC_CPU, PYTHON
from outlive.model.findings import Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H102", since="0.2", needs=(PYTHON,), prevents=("illegal-instruction",))
def emulated_cpu(here: Surroundings) -> Iterator[Finding]:
    """This Python is built for x86 and runs in an emulator on another kind of CPU, or on a generic virtual CPU.

    ## Why it matters
    An x86 container on an ARM machine (an Apple laptop, a Graviton) runs through Rosetta or QEMU. They translate most
    programs, several times slower, and not all instructions: TensorFlow ends with "Illegal instruction", or hangs. A
    virtual machine with a generic CPU type ("QEMU Virtual CPU") hides AVX in the same way.

    ## What to do
    Use the image or the Python built for the machine's own CPU; TensorFlow has wheels for ARM.
    """
    if here.text(EMULATOR):
        yield here.warning(
            f"This Python is built for x86 and runs on {here.text(EMULATOR)}.",
            EMULATOR,
            ARCHITECTURE,
            remedies=(
                Remedy(
                    "Use an image for this CPU.",
                    (
                        "docker run --platform=linux/arm64 …",
                        "docker build --platform=linux/arm64 …",
                    ),
                ),
            ),
        )
    elif here.text(GENERIC_CPU):
        yield here.warning(
            f"This virtual machine shows a generic CPU ({here.text(GENERIC_CPU)}), which hides CPU features.",
            GENERIC_CPU,
            remedies=(
                Remedy("Use the host's CPU type for the virtual machine.", ("qemu-system-x86_64 -cpu host …",)),
            ),
        )  # fmt: skip
    elif here.text(ARCHITECTURE) is None:
        yield here.unknown(ARCHITECTURE)
    else:
        yield here.fine(f"A real {here.text(ARCHITECTURE)} CPU.", CPU, ARCHITECTURE)
