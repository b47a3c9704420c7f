"""x86 code on a processor of another kind."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.surroundings import Surroundings
from outlive.unit import check


@check("H102", since="0.2", needs=("python",), prevents=("illegal-instruction",))
def emulated_cpu(here: Surroundings) -> Iterator[Finding]:
    """This Python is built for x86 and runs on another processor through an emulator, or on a generic virtual one.

    ## Why it matters
    An x86 container on an ARM machine (an Apple laptop, a Graviton) runs through Rosetta or QEMU. They translate most programs, several
    times slower, and not all instructions: TensorFlow ends with "Illegal instruction", or hangs. A virtual machine with a generic
    processor type ("QEMU Virtual CPU") hides AVX in the same way.

    ## What to do
    Use the image or the Python for the processor that is there; TensorFlow has wheels for ARM.
    """
    if here.text("emulator"):
        yield here.warning(
            f"This Python is built for x86 and runs on {here.text('emulator')}.",
            "emulator",
            "architecture",
            remedies=(
                Remedy(
                    "Use an image for this processor.",
                    (
                        "docker run --platform=linux/arm64 …",
                        "docker build --platform=linux/arm64 …",
                    ),
                ),
            ),
        )
    elif here.text("generic cpu"):
        yield here.warning(
            f"This virtual machine shows a generic processor ({here.text('generic cpu')}), which hides instructions.",
            "generic cpu",
            remedies=(
                Remedy("Give the machine the processor type of its host.", ("qemu-system-x86_64 -cpu host …",)),
            ),
        )  # fmt: skip
    elif here.text("architecture") is None:
        yield here.unknown("architecture")
    else:
        yield here.fine(f"A real {here.text('architecture')} processor.", "cpu", "architecture")
