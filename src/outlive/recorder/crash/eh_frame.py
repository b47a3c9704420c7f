"""How a function's caller is found: the tables that compilers write for exceptions (``.eh_frame``), read for one address. Pure.

``.eh_frame_hdr`` is a sorted table from code to descriptions of frames; a description is a small program that says, for every
instruction, where the caller's registers are.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from outlive.model.quick_dataclass import dataclass
from outlive.recorder.crash.symbols import SymbolFile

#: The encoding that every linker uses for the table: signed 32-bit distances from its start.
SORTED_TABLE = 0x3B

#: Descriptions are some dozens of bytes; generated code may have some thousands.
LONGEST_DESCRIPTION = 65536

Read = Callable[[int], int | None]


class NoRule(Exception):
    """The tables do not say, or say it in a way that is not understood here."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Where something is: an offset from the frame's address, another register, or an expression."""

    kind: str  # offset, value (the address itself), register, expression, value expression, same, undefined
    number: int = 0
    program: bytes = b""


@dataclass(frozen=True, slots=True)
class FrameRules:
    """How to get from one frame to its caller's."""

    base: Rule  #: kind ``register`` with ``offset``, or ``expression``
    base_offset: int = 0
    registers: Mapping[int, Rule] = field(default_factory=dict)
    return_register: int = 16
    signal_frame: bool = (
        False  #: the kernel made it: its "return address" is the interrupted instruction
    )
    begin: int = 0  #: of the function


class _Bytes:
    """A cursor in the bytes of a section, which knows their address."""

    def __init__(self, data: bytes, address: int = 0) -> None:
        self.data, self.at, self.address = data, 0, address

    def take(self, form: str) -> int:
        try:
            (value,) = struct.unpack_from("<" + form, self.data, self.at)
        except struct.error as error:
            raise NoRule("cut off") from error
        self.at += struct.calcsize("<" + form)
        return int(value)

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def signed(self) -> int:
        start = self.at
        value = self.unsigned()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def block(self) -> bytes:
        size = self.unsigned()
        self.at += size
        return self.data[self.at - size : self.at]

    def pointer(self, encoding: int) -> int:
        """An address in one of the encodings for exceptions; relative ones are relative to where they stand."""
        if encoding == 0xFF:
            return 0
        here = self.address + self.at
        form = {0: "Q", 2: "H", 3: "I", 4: "Q", 0xA: "h", 0xB: "i", 0xC: "q"}.get(encoding & 0xF)
        if encoding & 0xF == 1:
            value = self.unsigned()
        elif encoding & 0xF == 9:
            value = self.signed()
        elif form:
            value = self.take(form)
        else:
            raise NoRule("an unknown encoding")
        if encoding & 0x70 == 0x10:
            value += here
        elif encoding & 0x70:
            raise NoRule("an unknown encoding")
        return value & 0xFFFFFFFFFFFFFFFF


@dataclass
class _Common:
    """What the descriptions of many functions share."""

    code_factor: int = 1
    data_factor: int = -8
    return_register: int = 16
    pointer_encoding: int = 0
    augmented: bool = False
    signal_frame: bool = False
    program: bytes = b""


def rules_at(elf: SymbolFile, address: int) -> FrameRules:
    """The rules for the instruction at this address of the file; NoRule where there are none."""
    description = _find_description(elf, address)
    return _read_description(elf, description, address)


def _find_description(elf: SymbolFile, address: int) -> int:
    """By halving in the sorted table."""
    table = elf.unwinding
    if table is None:
        raise NoRule("no table of frames")
    head = _Bytes(elf.read(table, 32), table)
    version, frame_encoding, count_encoding, encoding = (head.take("B") for _ in range(4))
    if version != 1 or encoding != SORTED_TABLE:
        raise NoRule("a table of another kind")
    head.pointer(frame_encoding)
    count = head.pointer(count_encoding)
    first = table + head.at
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        begin = _Bytes(elf.read(first + 8 * middle, 4)).take("i") + table
        if begin <= address:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        raise NoRule("before the first function")
    return _Bytes(elf.read(first + 8 * (low - 1) + 4, 4)).take("i") + table


def _entry(elf: SymbolFile, at: int) -> _Bytes:
    size = _Bytes(elf.read(at, 4)).take("I")
    if not 0 < size <= LONGEST_DESCRIPTION:
        raise NoRule("a description of an odd size")
    return _Bytes(elf.read(at + 4, size), at + 4)


def _read_common(elf: SymbolFile, at: int) -> _Common:
    entry = _entry(elf, at)
    found = _Common()
    if entry.take("I") != 0:
        raise NoRule("no common part")
    version = entry.take("B")
    end = entry.data.find(b"\0", entry.at)
    kinds = entry.data[entry.at : end].decode("ascii", "replace")
    entry.at = end + 1
    found.code_factor = entry.unsigned()
    found.data_factor = entry.signed()
    found.return_register = entry.take("B") if version == 1 else entry.unsigned()
    if kinds.startswith("z"):
        found.augmented = True
        size = entry.unsigned()
        end = entry.at + size
        for kind in kinds[1:]:
            if kind == "R":
                found.pointer_encoding = entry.take("B")
            elif kind == "P":
                entry.pointer(entry.take("B") & 0x7F)
            elif kind == "L":
                entry.take("B")
            elif kind == "S":
                found.signal_frame = True
        entry.at = end
    elif kinds:
        raise NoRule("an unknown augmentation")
    found.program = entry.data[entry.at :]
    return found


def _read_description(elf: SymbolFile, at: int, address: int) -> FrameRules:
    entry = _entry(elf, at)
    back = entry.take("I")
    if back == 0:
        raise NoRule("no description")
    common = _read_common(elf, at + 4 - back)
    begin = entry.pointer(common.pointer_encoding)
    size = entry.pointer(common.pointer_encoding & 0x0F)
    if not begin <= address < begin + size:
        raise NoRule("between two functions")
    if common.augmented:
        entry.block()
    state = _State(common)
    state.run(common.program, begin, None)
    state.initial = dict(state.registers)
    state.run(entry.data[entry.at :], begin, address)
    return FrameRules(
        state.base,
        state.base_offset,
        state.registers,
        common.return_register,
        common.signal_frame,
        begin,
    )


class _State:
    """The small program of a description, run up to one instruction."""

    def __init__(self, common: _Common) -> None:
        self._common = common
        self.base = Rule("undefined")
        self.base_offset = 0
        self.registers: dict[int, Rule] = {}
        self.initial: dict[int, Rule] = {}
        self._saved: list[tuple[Rule, int, dict[int, Rule]]] = []

    def run(self, program: bytes, begin: int, until: int | None) -> None:
        code = _Bytes(program)
        now = begin
        factor, data_factor = self._common.code_factor, self._common.data_factor
        while code.at < len(program):
            operation = code.take("B")
            high, low = operation & 0xC0, operation & 0x3F
            if high == 0x40:
                now += low * factor
            elif high == 0x80:
                self.registers[low] = Rule("offset", code.unsigned() * data_factor)
            elif high == 0xC0:
                self._restore(low)
            elif operation in (0x02, 0x03, 0x04):
                now += code.take({2: "B", 3: "H", 4: "I"}[operation]) * factor
            else:
                self._other(operation, code)
            if until is not None and now > until:
                return

    def _restore(self, register: int) -> None:
        if register in self.initial:
            self.registers[register] = self.initial[register]
        else:
            self.registers.pop(register, None)

    def _other(self, operation: int, code: _Bytes) -> None:
        factor = self._common.data_factor
        if operation == 0x00 or operation == 0x2D:  # nothing; a signed return address (arm64)
            return
        if operation == 0x0A:
            self._saved.append((self.base, self.base_offset, dict(self.registers)))
        elif operation == 0x0B:
            if not self._saved:
                raise NoRule("nothing to restore")
            self.base, self.base_offset, self.registers = self._saved.pop()
        elif operation == 0x0C:
            self.base, self.base_offset = Rule("register", code.unsigned()), code.unsigned()
        elif operation == 0x0D:
            self.base = replace(self.base, kind="register", number=code.unsigned())
        elif operation == 0x0E:
            self.base_offset = code.unsigned()
        elif operation == 0x0F:
            self.base = Rule("expression", program=code.block())
        elif operation == 0x12:
            self.base, self.base_offset = (
                Rule("register", code.unsigned()),
                code.signed() * factor,
            )
        elif operation == 0x13:
            self.base_offset = code.signed() * factor
        elif operation == 0x2E:  # bytes of arguments, which the base already counts
            code.unsigned()
        else:
            self._register_rule(operation, code)

    def _register_rule(self, operation: int, code: _Bytes) -> None:
        factor = self._common.data_factor
        register = code.unsigned()
        if operation == 0x05:
            rule = Rule("offset", code.unsigned() * factor)
        elif operation == 0x06:
            self._restore(register)
            return
        elif operation == 0x07:
            rule = Rule("undefined")
        elif operation == 0x08:
            rule = Rule("same")
        elif operation == 0x09:
            rule = Rule("register", code.unsigned())
        elif operation == 0x10:
            rule = Rule("expression", program=code.block())
        elif operation == 0x11:
            rule = Rule("offset", code.signed() * factor)
        elif operation == 0x14:
            rule = Rule("value", code.unsigned() * factor)
        elif operation == 0x15:
            rule = Rule("value", code.signed() * factor)
        elif operation == 0x16:
            rule = Rule("value expression", program=code.block())
        elif operation == 0x2F:
            rule = Rule("offset", -code.unsigned() * factor)
        else:
            raise NoRule(f"an unknown operation {operation:#x}")
        self.registers[register] = rule


_CONSTANTS = {8: "B", 9: "b", 0xA: "H", 0xB: "h", 0xC: "I", 0xD: "i", 0xE: "Q", 0xF: "q"}
_PAIRS: dict[int, Callable[[int, int], int]] = {
    0x1A: lambda a, b: a & b,
    0x1C: lambda a, b: a - b,
    0x1E: lambda a, b: a * b,
    0x21: lambda a, b: a | b,
    0x22: lambda a, b: a + b,
    0x24: lambda a, b: a << b if b < 64 else 0,
    0x25: lambda a, b: a >> b,
    0x27: lambda a, b: a ^ b,
    0x29: lambda a, b: int(a == b),
    0x2A: lambda a, b: int(a >= b),
    0x2B: lambda a, b: int(a > b),
    0x2C: lambda a, b: int(a <= b),
    0x2D: lambda a, b: int(a < b),
    0x2E: lambda a, b: int(a != b),
}


def evaluate(program: bytes, registers: Mapping[int, int], read: Read, first: int | None) -> int:
    """The value of an expression of DWARF, of which only what tables of frames use is known."""
    code = _Bytes(program)
    stack: list[int] = [] if first is None else [first]
    try:
        while code.at < len(program):
            operation = code.take("B")
            if 0x30 <= operation <= 0x4F:
                stack.append(operation - 0x30)
            elif 0x70 <= operation <= 0x8F:
                stack.append(registers[operation - 0x70] + code.signed())
            elif operation in _CONSTANTS:
                stack.append(code.take(_CONSTANTS[operation]))
            elif operation == 0x10:
                stack.append(code.unsigned())
            elif operation == 0x11:
                stack.append(code.signed())
            elif operation == 0x06:
                value = read(stack.pop())
                if value is None:
                    raise NoRule("memory that was not kept")
                stack.append(value)
            elif operation == 0x12:
                stack.append(stack[-1])
            elif operation == 0x13:
                stack.pop()
            elif operation == 0x23:
                stack.append(stack.pop() + code.unsigned())
            elif operation in _PAIRS:
                second = stack.pop()
                stack.append(_PAIRS[operation](stack.pop(), second))
            else:
                raise NoRule(f"an unknown operation {operation:#x}")
        return stack[-1] & 0xFFFFFFFFFFFFFFFF
    except (IndexError, KeyError) as error:
        raise NoRule("an expression that does not work out") from error
