"""Tell which instruction sets a compiled file cannot do without, from a sample of its code.

Compilers that may use AVX write *every* move between a vector register and memory in the newer (VEX) form; compilers that may not
write every one in the older form. Code that chooses at run time has both. So the share of the newer form among all such moves tells
whether a file is built with AVX throughout. Measured on the wheels of TensorFlow 2.21, NumPy 2.4, h5py 3.14, grpcio, pillow, pyzmq
(418 files): built with AVX throughout 0.976 to 1.000; all others 0 to 0.82, the higher ones being those that choose at run time.

The same for shifts by a register and BMI2, which every compiler that may use AVX2 (x86-64-v3, Haswell) uses. AVX-512 cannot be told
in this way: compilers that may use it seldom do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from outlive.doctor.look.compiled import Compiled
from outlive.model.installation import InstructionNeed

OLD_MOVE = re.compile(rb"\x0f[\x10\x11\x28\x29]|[\x66\xf3]\x0f[\x6f\x7f]")
NEW_MOVE = re.compile(
    rb"\xc5[\x78-\x7f\xf8-\xff][\x10\x11\x28\x29\x6f\x7f]"
    rb"|\xc4[\x41\x61\xc1\xe1][\x78-\x7f\xf8-\xff][\x10\x11\x28\x29\x6f\x7f]"
)
OLD_SHIFT = re.compile(rb"[\x41\x44\x48\x49\x4c\x4d]\xd3[\xe0-\xef\xf8-\xff]")
NEW_SHIFT = re.compile(rb"\xc4[\x42\x62\xc2\xe2].\xf7", re.DOTALL)

THROUGHOUT = 0.95

#: Fewer are not a sample.
FEWEST_MOVES = 100
FEWEST_SHIFTS = 20

PIECES, PIECE_BYTES = 8, 1 << 16
FILES_PER_PACKAGE = 3

AVX2 = ("avx", "avx2", "bmi2", "fma")


def instruction_needs(files: Iterable[Compiled], packages: Sequence[str]) -> list[InstructionNeed]:
    """List the instructions beyond plain x86-64 that these packages need, judged by their largest files."""
    found = []
    for package in packages:
        mine = [item for item in files if item.package == package and item.elf.machine == "x86_64"]
        largest = sorted(mine, key=lambda item: -item.elf.code[1])[:FILES_PER_PACKAGE]
        for item in largest:
            sets, source = needs_of(sample(item.elf.path, *item.elf.code))
            if sets:
                found.append(InstructionNeed(package, sets, f"{item.file}: {source}"))
                break
    return found


def sample(path: str, offset: int, size: int) -> list[bytes]:
    """Pieces of a file's code, spread evenly."""
    try:
        with open(path, "rb") as file:
            if size <= PIECES * PIECE_BYTES:
                file.seek(offset)
                return [file.read(size)]
            pieces = []
            for index in range(PIECES):
                file.seek(offset + index * (size - PIECE_BYTES) // (PIECES - 1))
                pieces.append(file.read(PIECE_BYTES))
            return pieces
    except (OSError, ValueError, OverflowError):  # a damaged file says that its code lies anywhere
        return []


def needs_of(pieces: Sequence[bytes]) -> tuple[tuple[str, ...], str]:
    """The instruction sets, and how we know; nothing where the code is plain, mixed or too little."""
    new, old = _count(NEW_MOVE, pieces), _count(OLD_MOVE, pieces)
    if new + old < FEWEST_MOVES or new < THROUGHOUT * (new + old):
        return (), ""
    source = f"{new} of {new + old} sampled vector moves are AVX's"
    new_shifts, old_shifts = _count(NEW_SHIFT, pieces), _count(OLD_SHIFT, pieces)
    shifts = new_shifts + old_shifts
    if shifts >= FEWEST_SHIFTS and new_shifts >= THROUGHOUT * shifts:
        return AVX2, f"{source}, {new_shifts} of {shifts} shifts BMI2's"
    return ("avx",), source


def _count(pattern: re.Pattern[bytes], pieces: Sequence[bytes]) -> int:
    return sum(len(pattern.findall(piece)) for piece in pieces)
