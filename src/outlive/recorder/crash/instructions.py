"""Which set of instructions an instruction belongs to: enough to say what a CPU lacked. Pure."""

from __future__ import annotations

from collections.abc import Collection

from outlive.model.quick_dataclass import dataclass

X86_64, ARM64 = 62, 183

LEGACY_PREFIXES = frozenset({0x66, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0xF0, 0x67})

#: Operations of the first map with whole vectors of integers: 256 bits of them came with AVX2, of floats with AVX.
INTEGERS_0F = frozenset(
    {*range(0x60, 0x6E), 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, *range(0xD1, 0xD6), 0xD7}
    | {*range(0xD8, 0xE6), *range(0xE8, 0xF0), *range(0xF1, 0xF7), *range(0xF8, 0xFF)}
)
AVX2_0F38 = frozenset({0x16, 0x36, 0x45, 0x46, 0x47, 0x58, 0x59, 0x5A, 0x78, 0x79, 0x8C, 0x8E})
AVX2_0F38_GATHER = frozenset(range(0x90, 0x94))
INTEGERS_0F38 = frozenset({*range(0x0C), *range(0x1C, 0x1F), *range(0x20, 0x2C)}) | frozenset(
    {*range(0x30, 0x36), *range(0x37, 0x42)}
)
AVX2_0F3A = frozenset({0x00, 0x01, 0x02, 0x38, 0x39, 0x46})
INTEGERS_0F3A = frozenset({0x0E, 0x0F, 0x42, 0x4C})
FMA_0F38 = frozenset({*range(0x96, 0xA0), *range(0xA6, 0xB0), *range(0xB6, 0xC0)})
BMI1_0F38 = {0xF2: "BMI1", 0xF3: "BMI1", 0xF5: "BMI2", 0xF6: "BMI2"}

#: What /proc/cpuinfo calls them.
FLAGS = {
    "AVX": ("avx",),
    "AVX2": ("avx2",),
    "AVX-512": ("avx512f",),
    "AVX-VNNI": ("avx_vnni",),
    "AMX": ("amx_tile",),
    "APX": ("apx",),
    "FMA": ("fma",),
    "FMA4": ("fma4",),
    "F16C": ("f16c",),
    "BMI1": ("bmi1",),
    "BMI2": ("bmi2",),
    "XOP": ("xop",),
    "AES": ("aes",),
    "SHA": ("sha_ni",),
    "SSSE3": ("ssse3",),
    "SSE4.1": ("sse4_1",),
    "SSE4.2": ("sse4_2",),
    "POPCNT": ("popcnt",),
    "SVE": ("sve",),
    "SVE2": ("sve2",),
    "SME": ("sme",),
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """What is known about one instruction."""

    set: str = ""  #: AVX-512, FMA, … or nothing when it is not known
    trap: str = ""  #: the name of an instruction that is there to stop the program


def decode(code: bytes, machine: int = X86_64) -> Instruction:
    """The instruction at the beginning of these bytes."""
    if machine == ARM64:
        return _decode_arm64(code)
    return _decode_x86(code) if machine == X86_64 else Instruction()


def lacks(instruction: Instruction, flags: Collection[str]) -> bool | None:
    """Whether a CPU with these flags lacks the instruction; None when that cannot be said."""
    names = FLAGS.get(instruction.set)
    if not names or not flags:
        return None
    return not any(name in flags for name in names)


def _decode_arm64(code: bytes) -> Instruction:
    if len(code) < 4:
        return Instruction()
    word = int.from_bytes(code[:4], "little")
    if word >> 16 == 0:
        return Instruction(trap="udf")
    if word >> 25 & 0xF == 0b0010:
        return Instruction("SVE")
    if word >> 25 & 0xF == 0 and word >> 31:
        return Instruction("SME")
    return Instruction()


def _decode_x86(code: bytes) -> Instruction:
    at, prefixes = 0, set()
    while at < len(code) and code[at] in LEGACY_PREFIXES:
        prefixes.add(code[at])
        at += 1
    if at < len(code) and code[at] & 0xF0 == 0x40:  # REX
        at += 1
    rest = code[at:].ljust(6, b"\0") if at < len(code) else b"\0" * 6
    first = rest[0]
    if first == 0xC5:
        return _decode_vex(1, rest[1] & 3, bool(rest[1] & 4), rest[2])
    if first == 0xC4:
        return _decode_vex(rest[1] & 0x1F, rest[2] & 3, bool(rest[2] & 4), rest[3])
    if first == 0x62:
        # Its third bit of the map is set in APX only; the fixed bit of the second byte is what AVX-512 demands.
        return Instruction("APX" if rest[1] & 7 == 4 else "AVX-512")
    if first == 0xD5:
        return Instruction("APX")
    if first == 0x8F and rest[1] & 0x1F >= 8:
        return Instruction("XOP")
    return _decode_legacy(rest, prefixes) if first == 0x0F else Instruction()


def _decode_legacy(code: bytes, prefixes: set[int]) -> Instruction:
    second, third = code[1], code[2]
    if second in (0x0B, 0xB9, 0xFF):
        return Instruction(trap={0x0B: "ud2", 0xB9: "ud1", 0xFF: "ud0"}[second])
    if second == 0xB8 and 0xF3 in prefixes:
        return Instruction("POPCNT")
    if second == 0x38:
        if third <= 0x0B or third in (0x1C, 0x1D, 0x1E):
            return Instruction("SSSE3")
        if third in range(0xC8, 0xCE):
            return Instruction("SHA")
        if third in range(0xDB, 0xE0):
            return Instruction("AES")
        if third in (0xF0, 0xF1):
            return Instruction("SSE4.2" if 0xF2 in prefixes else "")
        return Instruction("SSE4.2" if third == 0x37 else "SSE4.1" if third < 0x42 else "")
    if second == 0x3A:
        if third == 0x0F:
            return Instruction("SSSE3")
        if third in range(0x60, 0x64):
            return Instruction("SSE4.2")
        if third == 0xDF:
            return Instruction("AES")
        return Instruction("SHA" if third == 0xCC else "SSE4.1" if third < 0x43 else "")
    return Instruction()


def _decode_vex(table: int, prefix: int, wide: bool, operation: int) -> Instruction:
    """``table``: 1 = 0F, 2 = 0F38, 3 = 0F3A. ``prefix``: 0 none, 1 66, 2 F3, 3 F2. ``wide``: 256 bits."""
    if table == 1:
        return Instruction("AVX2" if wide and operation in INTEGERS_0F and prefix == 1 else "AVX")
    if table == 2:
        return Instruction(_set_in_0f38(prefix, wide, operation))
    if table == 3:
        return Instruction(_set_in_0f3a(wide, operation))
    return Instruction()


def _set_in_0f38(prefix: int, wide: bool, operation: int) -> str:
    if operation in (0x49, 0x4B, 0x5C, 0x5E):
        return "AMX"
    if operation == 0x13:
        return "F16C"
    if operation in FMA_0F38 and prefix == 1:
        return "FMA"
    if operation in range(0x50, 0x54):
        return "AVX-VNNI"
    if operation == 0xF7:
        return "BMI2" if prefix else "BMI1"
    if operation in BMI1_0F38:
        return BMI1_0F38[operation]
    if operation in AVX2_0F38 or operation in AVX2_0F38_GATHER:
        return "AVX2"
    return "AVX2" if wide and operation in INTEGERS_0F38 else "AVX"


def _set_in_0f3a(wide: bool, operation: int) -> str:
    if operation == 0xF0:
        return "BMI2"
    if operation == 0x1D:
        return "F16C"
    if operation in range(0x5C, 0x80) and operation not in range(0x60, 0x68):
        return "FMA4"
    if operation in AVX2_0F3A:
        return "AVX2"
    return "AVX2" if wide and operation in INTEGERS_0F3A else "AVX"
