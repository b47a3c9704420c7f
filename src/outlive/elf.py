"""Read a shared object without loading it: its segments and sections, what it needs, what it offers, what it is made for.

Of the head only what the dynamic loader itself reads: program headers and the dynamic section, which every loadable file has. Sections may be
stripped; they are used where they are there.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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


def segments(data: mmap.mmap) -> Iterator[Segment]:
    """The segments of a 64-bit little-endian file; what is damaged raises ``struct.error``."""
    fields = HEADER.unpack_from(data)
    start, size, count = fields[5], fields[9], fields[10]
    for number in range(min(count, MOST)):
        found = SEGMENT.unpack_from(data, start + number * size)
        yield Segment(found[0], found[2], found[3], found[5])


def sections(data: mmap.mmap) -> list[Section]:
    """Its sections; none where they are stripped."""
    fields = HEADER.unpack_from(data)
    start, size, count = fields[6], fields[11], fields[12]
    found = []
    for number in range(min(count, MOST) if start else 0):
        name, kind, flags, _, offset, length, link, *_ = SECTION.unpack_from(
            data, start + number * size
        )
        found.append(Section(name, kind, flags, offset, length, link))
    return found


def read_elf(path: str) -> Elf:
    """The head of a file; ``NotElf`` if it has none that can be read."""
    try:
        with _mapped(path) as data:
            return _Reader(path, data).read()
    except NotElf:
        raise
    except (OSError, ValueError, OverflowError, struct.error, IndexError) as error:
        raise NotElf(f"{path}: {error}") from error


def _mapped(path: str) -> mmap.mmap:
    """A file in memory; a pipe of that name is not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(handle)


class _Reader:
    """Reads one mapped file."""

    def __init__(self, path: str, data: mmap.mmap) -> None:
        self.path = path
        self.data = data
        self.loaded: list[Segment] = []

    def read(self) -> Elf:
        data = self.data
        if data[:4] != b"\x7fELF":
            raise NotElf(self.path)
        (number,) = struct.unpack_from("<H", data, 18)
        machine = MACHINES.get(number, f"machine {number}")
        if data[4] != 2 or data[5] != 1:
            return Elf(self.path, f"{machine}, {'32' if data[4] == 1 else '64'} bit")
        tags: dict[int, list[int]] = {}
        for segment in segments(data):
            if segment.kind == LOAD:
                self.loaded.append(segment)
            elif segment.kind == DYNAMIC:
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
            path=self.path,
            machine=machine,
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
        for segment in self.loaded:
            if segment.address <= address < segment.address + segment.file_size:
                return segment.offset + address - segment.address
        raise NotElf(f"{self.path}: no segment holds {address:#x}")

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
        found, names = sections(self.data), HEADER.unpack_from(self.data)[13]
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
    """The libraries that a library names as needed; nothing when it is no such file."""
    try:
        return read_elf(path).needed
    except NotElf:
        return ()


def find_in(path: str, place: tuple[int, int], words: tuple[bytes, ...]) -> set[bytes]:
    """Which of these words stand in a part of a file; in all of it if the part is not known."""
    offset, size = place
    try:
        with _mapped(path) as data:
            end = offset + size if size else len(data)
            return {word for word in words if data.find(word, offset, end) >= 0}
    except (OSError, ValueError, OverflowError):
        return set()
