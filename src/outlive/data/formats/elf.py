"""Read a shared object without loading it: its segments and sections, what it needs, what it offers, what it is made for.

`read_elf` takes of the head only what the dynamic loader itself reads: program headers and the dynamic section, which every loadable file has.
Sections may be stripped; they are used where they are there. Large objects (TensorFlow's have a million symbols) are mapped, not read.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import field

from outlive.model.quick_dataclass import dataclass

MAGIC = b"\x7fELF"
MACHINES = {3: "i686", 40: "arm", 62: "x86_64", 183: "aarch64", 21: "ppc64le", 243: "riscv64"}

LOAD, DYNAMIC = 1, 2
NEEDED, STRTAB, STRSZ, SONAME, RPATH, RUNPATH = 1, 5, 10, 14, 15, 29
VERDEF, VERDEFNUM, VERNEED, VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")

EXECUTABLE_SECTION = 4

#: More entries than any file has: a garbled one must not make us walk for ever.
MOST = 4096


@dataclass(frozen=True, slots=True)
class Elf:
    """A 64-bit little-endian shared object or program."""

    path: str
    machine: str
    needed: tuple[str, ...] = ()
    soname: str = ""
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    wants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  #: library -> its versions
    offers: frozenset[str] = frozenset()  #: versions that it defines
    names: tuple[int, int] = (0, 0)  #: where the names of its symbols lie: offset and size
    code: tuple[int, int] = (0, 0)  #: where its instructions lie
    constants: tuple[int, int] = (0, 0)  #: where its constant data lie, if it says so


class NotElf(ValueError):
    """The file is something else, or damaged, or of a kind that is not read here."""


class OtherElf(NotElf):
    """The file is made for 32 bits, or for the other order of bytes: only its machine is known."""

    def __init__(self, path: str, machine: int, bits: int) -> None:
        super().__init__(path)
        self.machine = f"{_machine_name(machine)}, {bits} bit"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the file as the loader sees it."""

    kind: int
    offset: int
    address: int
    file_size: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the file as the linker sees it."""

    name: int  #: where its name begins, in the section of names
    kind: int
    flags: int
    offset: int
    size: int
    link: int  #: the number of the section that belongs to it


class ElfFile:
    """A mapped 64-bit little-endian file. Addresses are the file's own, before it is loaded somewhere."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.data = _mapped(path)
        try:
            self._read_header()
        except NotElf:
            self.close()
            raise
        except (ValueError, OverflowError, struct.error, IndexError) as error:
            self.close()
            raise NotElf(f"{path}: {error}") from error

    def _read_header(self) -> None:
        data = self.data
        if data[:4] != MAGIC:
            raise NotElf(self.path)
        (self.machine,) = struct.unpack_from("<H", data, 18)
        if data[4] != 2 or data[5] != 1:
            raise OtherElf(self.path, self.machine, 32 if data[4] == 1 else 64)
        header = HEADER.unpack_from(data)
        start, size, count = header[5], header[9], header[10]
        self.segments = [
            Segment(found[0], found[2], found[3], found[5])
            for found in (
                SEGMENT.unpack_from(data, start + number * size)
                for number in range(min(count, MOST))
            )
        ]
        self.loaded = [segment for segment in self.segments if segment.kind == LOAD]

    def sections(self) -> list[Section]:
        """Read its sections; none where they are stripped, ``struct.error`` where they are damaged."""
        header = HEADER.unpack_from(self.data)
        start, size, count = header[6], header[11], header[12]
        found = []
        for number in range(min(count, MOST) if start else 0):
            name, kind, flags, _, offset, length, link, *_ = SECTION.unpack_from(
                self.data, start + number * size
            )
            found.append(Section(name, kind, flags, offset, length, link))
        return found

    def address_of(self, file_offset: int) -> int | None:
        """Find the address of a place in the file."""
        for segment in self.loaded:
            # What is mapped are whole pages: the last one of a segment may show a little more of the file.
            if segment.offset & ~0xFFF <= file_offset < segment.offset + segment.file_size:
                return file_offset - segment.offset + segment.address
        return None

    def offset_of(self, address: int) -> int | None:
        """Find the place in the file of what is loaded at an address."""
        segment = self._segment_at(address)
        return None if segment is None else segment.offset + address - segment.address

    def read(self, address: int, count: int) -> bytes:
        """Read bytes at an address, as many as the file has."""
        segment = self._segment_at(address)
        if segment is None:
            return b""
        start = address - segment.address + segment.offset
        return self.data[start : min(start + count, segment.offset + segment.file_size)]

    def _segment_at(self, address: int) -> Segment | None:
        for segment in self.loaded:
            if segment.address <= address < segment.address + segment.file_size:
                return segment
        return None

    def close(self) -> None:
        """Give the mapping back."""
        self.data.close()


def read_elf(path: str) -> Elf:
    """The head of a file; ``NotElf`` if it has none that can be read."""
    try:
        file = ElfFile(path)
    except OtherElf as other:
        return Elf(path, other.machine)
    try:
        return _Reader(file).read()
    except NotElf:
        raise
    except (ValueError, OverflowError, struct.error, IndexError) as error:
        raise NotElf(f"{path}: {error}") from error
    finally:
        file.close()


def _machine_name(number: int) -> str:
    return MACHINES.get(number, f"machine {number}")


def _mapped(path: str) -> mmap.mmap:
    """Map a file; ``NotElf`` for one that cannot be. A pipe of that name is not waited for."""
    try:
        return _map(path)
    except (OSError, ValueError, OverflowError) as error:
        raise NotElf(f"{path}: {error}") from error


def _map(path: str) -> mmap.mmap:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(handle)


class _Reader:
    """A reader of what the dynamic loader reads."""

    def __init__(self, file: ElfFile) -> None:
        self.file = file
        self.data = file.data

    def read(self) -> Elf:
        data = self.data
        tags: dict[int, list[int]] = {}
        for segment in self.file.segments:
            if segment.kind == DYNAMIC:
                tags = self._tags(segment.offset, segment.file_size)
        strings = self._offset(tags[STRTAB][0]) if STRTAB in tags else 0
        length = tags.get(STRSZ, [0])[0]

        def text(index: int) -> str:
            start = strings + index
            return data[start : data.find(b"\0", start, strings + length)].decode("utf-8")

        def paths(tag: int) -> tuple[str, ...]:
            return tuple(
                entry for word in tags.get(tag, []) for entry in text(word).split(":") if entry
            )

        code, constants = self._sections()
        return Elf(
            path=self.file.path,
            machine=_machine_name(self.file.machine),
            needed=tuple(text(word) for word in tags.get(NEEDED, [])),
            soname=text(tags[SONAME][0]) if SONAME in tags else "",
            rpath=paths(RPATH),
            runpath=paths(RUNPATH),
            wants=self._wants(tags, text),
            offers=self._offers(tags, text),
            names=(strings, length),
            code=code,
            constants=constants,
        )

    def _tags(self, offset: int, length: int) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index in range(min(length // 16, MOST)):
            tag, value = struct.unpack_from("<qQ", self.data, offset + 16 * index)
            if tag == 0:
                break
            found.setdefault(tag, []).append(value)
        return found

    def _offset(self, address: int) -> int:
        offset = self.file.offset_of(address)
        if offset is None:
            raise NotElf(f"{self.file.path}: no segment holds {address:#x}")
        return offset

    def _wants(self, tags: dict[int, list[int]], text) -> dict[str, tuple[str, ...]]:  # type: ignore[no-untyped-def]  # a local function
        found: dict[str, tuple[str, ...]] = {}
        if VERNEED not in tags:
            return found
        place = self._offset(tags[VERNEED][0])
        for _ in range(min(tags.get(VERNEEDNUM, [0])[0], MOST)):
            _, count, file, aux, following = struct.unpack_from("<HHIII", self.data, place)
            entry, versions = place + aux, []
            for _ in range(count):
                _, flags, _, name, after = struct.unpack_from("<IHHII", self.data, entry)
                if not flags & 2:  # weak: the program lives without it
                    versions.append(text(name))
                entry += after
            found[text(file)] = tuple(versions)
            place += following
        return found

    def _offers(self, tags: dict[int, list[int]], text) -> frozenset[str]:  # type: ignore[no-untyped-def]  # a local function
        found = set()
        if VERDEF not in tags:
            return frozenset()
        place = self._offset(tags[VERDEF][0])
        for _ in range(min(tags.get(VERDEFNUM, [0])[0], MOST)):
            aux, following = struct.unpack_from("<II", self.data, place + 12)
            (name,) = struct.unpack_from("<I", self.data, place + aux)
            found.add(text(name))
            place += following
        return frozenset(found)

    def _sections(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The largest section of instructions, and that of constants; the segments where sections are stripped."""
        found, names = self.file.sections(), HEADER.unpack_from(self.data)[13]
        code, constants = (0, 0), (0, 0)
        for section in found:
            if section.kind == 1 and section.flags & EXECUTABLE_SECTION and section.size > code[1]:
                code = (section.offset, section.size)
        if names < len(found):
            for section in found:
                at = found[names].offset + section.name
                if self.data[at : self.data.find(b"\0", at)] == b".rodata":
                    constants = (section.offset, section.size)
        return code, constants


def needed_by(path: str) -> tuple[str, ...]:
    """List the libraries that an ELF file names as needed; empty for a file of another format."""
    try:
        return read_elf(path).needed
    except NotElf:
        return ()


def find_in(path: str, place: tuple[int, int], words: tuple[bytes, ...]) -> set[bytes]:
    """Which of these words stand in a part of a file; in all of it if the part is not known."""
    offset, size = place
    try:
        with _map(path) as data:
            end = offset + size if size else len(data)
            return {word for word in words if data.find(word, offset, end) >= 0}
    except (OSError, ValueError, OverflowError):
        return set()
