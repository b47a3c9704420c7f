"""The native frames of a crash: registers and a piece of the stack in, a list of addresses out.

Done outside and after the death, from what the handler copied; so it may open files and take its time.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence

from outlive.model.quick_dataclass import dataclass
from outlive.recorder.crash.eh_frame import FrameRules, NoRule, Rule, evaluate, rules_at
from outlive.recorder.crash.mappings import Mappings
from outlive.recorder.crash.symbols import SymbolFile

X86_64, ARM64 = 62, 183
MOST_FRAMES = 200

#: Names cost some milliseconds each in large libraries.
MOST_NAMED = 40
WORD = struct.Struct("<Q")

#: Addresses of arm64 may carry a signature above this.
ARM64_ADDRESS = (1 << 48) - 1


@dataclass(frozen=True, slots=True)
class Machine:
    """How a processor calls functions, in DWARF's numbers of its registers."""

    stack: int
    frame: int
    counter: int
    link: int | None = None  #: the register that holds the return address, where there is one


MACHINES = {X86_64: Machine(7, 6, 16), ARM64: Machine(31, 29, 32, 30)}


@dataclass(frozen=True, slots=True)
class Frame:
    """One address in the chain of calls: in which file, and where in it."""

    address: int
    file: str = ""
    offset: int = 0  #: the file's own address of the instruction
    symbol: str = ""  #: as the linker knows it


class Objects:
    """The files that were mapped, opened once; those that changed since are not believed."""

    def __init__(self, mappings: Mappings, died_at: float) -> None:
        self._mappings = mappings
        self._died_at = died_at
        self._open: dict[str, SymbolFile | None] = {}

    def find(self, address: int) -> tuple[SymbolFile | None, str, int]:
        """The object at an address, its file, and its own address of the place."""
        mapping = self._mappings.at(address)
        if mapping is None or not mapping.file:
            named = mapping is not None and mapping.path.startswith("[")  # the kernel's own
            return None, mapping.path if mapping is not None and named else "", 0
        elf = None if mapping.deleted else self._elf(mapping.file)
        offset = mapping.file_offset(address)
        own = elf.address_of(offset) if elf else None
        return (elf, mapping.file, own) if own is not None else (None, mapping.file, offset)

    def executable(self, address: int) -> bool:
        """Whether code lies there."""
        mapping = self._mappings.at(address)
        return mapping is not None and "x" in mapping.permissions

    def _elf(self, path: str) -> SymbolFile | None:
        if path not in self._open:
            try:
                fresh = os.stat(path).st_ctime <= self._died_at
                self._open[path] = SymbolFile(path) if fresh else None
            except (OSError, ValueError):
                self._open[path] = None
        return self._open[path]

    def close(self) -> None:
        """Close the ELF files that were opened."""
        for elf in self._open.values():
            if elf is not None:
                elf.close()


class Walk:
    """The way from the crash to the beginning of its thread."""

    def __init__(
        self, machine: int, registers: Mapping[int, int], stack: bytes, start: int, objects: Objects
    ) -> None:
        self._machine = MACHINES[machine]
        self._registers = dict(registers)
        self._stack, self._start = stack, start
        self._objects = objects

    def frames(self) -> list[Frame]:
        """Walk the frames, innermost first, until the recorded piece of the stack ends or no table describes the next frame."""
        found: list[Frame] = []
        after_call = False
        while len(found) < MOST_FRAMES:
            counter = self._registers.get(self._machine.counter, 0)
            # A return address is that of the next instruction, which may belong to another function.
            at = counter - 1 if after_call else counter
            elf, file, offset = self._objects.find(at)
            rules = _rules(elf, offset)
            begin = rules.begin if rules else None
            few = len(found) < MOST_NAMED
            symbol = elf.symbol_of(offset, begin) if elf is not None and few else ""
            found.append(Frame(counter, file, offset, symbol))
            before = self._registers[self._machine.stack]
            try:
                signal_frame = self._up(rules)
            except NoRule:
                if not self._up_by_convention(first=len(found) == 1):
                    break
                signal_frame = False
            if self._registers[self._machine.stack] < before or not self._registers.get(
                self._machine.counter
            ):
                break
            after_call = not signal_frame
        return found

    def _read(self, address: int) -> int | None:
        place = address - self._start
        if not 0 <= place <= len(self._stack) - 8:
            return None
        return int(WORD.unpack_from(self._stack, place)[0])

    def _up(self, rules: FrameRules | None) -> bool:
        """To the caller, by the rules of the object; gives whether this was a frame of the kernel's."""
        if rules is None:
            raise NoRule("no object, or none for this place")
        base = self._base(rules)
        caller = dict(self._registers)
        for register, rule in rules.registers.items():
            value = self._value(rule, base)
            if value is None:
                caller.pop(register, None)
            else:
                caller[register] = value
        if rules.registers.get(rules.return_register) == Rule("undefined"):
            caller[self._machine.counter] = 0  # the first function of the thread says so
        elif rules.return_register in caller:
            caller[self._machine.counter] = self._plain(caller[rules.return_register])
        else:
            raise NoRule("no return address")
        if self._machine.stack not in rules.registers:
            caller[self._machine.stack] = base
        self._registers = caller
        return rules.signal_frame

    def _plain(self, address: int) -> int:
        return address & ARM64_ADDRESS if self._machine.link is not None else address

    def _base(self, rules: FrameRules) -> int:
        if rules.base.kind == "expression":
            return evaluate(rules.base.program, self._registers, self._read, None)
        value = self._registers.get(rules.base.number)
        if rules.base.kind != "register" or value is None:
            raise NoRule("no base")
        return value + rules.base_offset

    def _value(self, rule: Rule, base: int) -> int | None:
        if rule.kind == "offset":
            return self._read(base + rule.number)
        if rule.kind == "value":
            return base + rule.number
        if rule.kind == "register":
            return self._registers.get(rule.number)
        if rule.kind == "undefined":
            return None
        value = evaluate(rule.program, self._registers, self._read, base)
        return self._read(value) if rule.kind == "expression" else value

    def _up_by_convention(self, first: bool) -> bool:
        """Where no rules are: a call that led nowhere has left its return address on top, other code its frame pointer."""
        machine = self._machine
        top = self._registers[machine.stack]
        if first and machine.link is not None:
            link = self._plain(self._registers.get(machine.link, 0))
            if self._is_return_address(link):
                self._registers[machine.counter] = link
                self._registers.pop(machine.link)
                return True
        if first and machine.link is None:
            value = self._read(top)
            if value is not None and self._is_return_address(value):
                self._registers[machine.counter] = value
                self._registers[machine.stack] = top + 8
                return True
        frame = self._registers.get(machine.frame, 0)
        back, value = self._read(frame), self._read(frame + 8)
        if frame < top or back is None or value is None:
            return False
        value = self._plain(value)
        if not self._is_return_address(value):
            return False
        self._registers[machine.counter] = value
        self._registers[machine.frame] = back
        self._registers[machine.stack] = frame + 16
        return True

    def _is_return_address(self, address: int) -> bool:
        """Whether a call stands before it."""
        if not self._objects.executable(address - 1):
            return False
        elf, _, offset = self._objects.find(address - 1)
        if elf is None:
            return True  # generated code, which cannot be read any more
        before = elf.read(offset - 7, 8)
        if self._machine.link is not None:
            return len(before) == 8
        return len(before) == 8 and (
            before[3] == 0xE8
            or any(
                before[8 - size] == 0xFF and before[9 - size] & 0x38 == 0x10
                for size in (2, 3, 4, 6, 7)
            )
        )


def _rules(elf: SymbolFile | None, offset: int) -> FrameRules | None:
    try:
        return rules_at(elf, offset) if elf is not None else None
    except NoRule:
        return None


def walk(
    machine: int, registers: Sequence[int], stack: bytes, start: int, objects: Objects
) -> list[Frame]:
    """The frames of a crash as the handler kept it; a processor that is not known here has none."""
    if machine not in MACHINES or len(registers) <= MACHINES[machine].counter:
        return []
    return Walk(machine, dict(enumerate(registers)), stack, start, objects).frames()
