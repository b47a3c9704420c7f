"""The symbols of a shared object or program on the disk: only what is needed to name a function and to find its caller."""

from __future__ import annotations

import bisect
import mmap
import struct

from outlive.data.formats.elf import ElfFile

_SYMBOL = struct.Struct("<IBBHQQ")
VALUE_AT = 8

UNWINDING = 0x6474E550
SYMBOLS, DYNAMIC_SYMBOLS = 2, 11
FUNCTION_KINDS = (2, 10)  # a function, one that is chosen at load time

#: Symbols that begin before an address and may reach over it: nested ones are few.
SYMBOLS_TO_TRY = 8

#: Sorting a table takes 0.5 µs a symbol; TensorFlow's have 1.2 million and are only searched for an exact address.
MOST_SORTED = 100_000

#: Searching a table of 30 MB takes 80 ms: how often that may be in vain, for each file.
LARGE_TABLE_BYTES = 5_000_000
LONG_SEARCHES = 5


class SymbolFile(ElfFile):
    """One file, with its symbols and the table for unwinding."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        #: The address of the table of frames.
        self.unwinding: int | None = None
        for segment in self.segments:
            if segment.kind == UNWINDING:
                self.unwinding = segment.address
        self._tables: list[_Table] | None = None
        self._long_searches = 0

    def symbol_of(self, address: int, begin: int | None) -> str:
        """The function that the address lies in, as the linker knows it, or nothing; quick where its beginning is known."""
        for table in self._symbol_tables():
            long = table.size > LARGE_TABLE_BYTES
            if begin is not None and not (long and self._long_searches >= LONG_SEARCHES):
                found = table.symbol_at(begin)
                if found:
                    return found
                self._long_searches += long
        for table in self._symbol_tables():
            found = table.symbol_around(address)
            if found:
                return found
        return ""

    def _symbol_tables(self) -> list[_Table]:
        if self._tables is None:
            try:
                self._tables = self._read_tables()
            except (struct.error, IndexError, ValueError):
                self._tables = []
        return self._tables

    def _read_tables(self) -> list[_Table]:
        known = self.sections()
        found = []
        for kind in (DYNAMIC_SYMBOLS, SYMBOLS):
            for section in known:
                if section.kind == kind and section.link < len(known):
                    names = known[section.link]
                    place = (section.offset, section.size, names.offset, names.size)
                    found.append(_Table(self.data, *place))
        return found

    def close(self) -> None:
        """Give the mapping back."""
        self._tables = None
        super().close()


class _Table:
    """One table of symbols, sorted by address when that is asked for and cheap."""

    def __init__(self, data: mmap.mmap, start: int, size: int, names: int, names_size: int) -> None:
        self._data = data
        self._start, self._end = start, start + size
        self._names, self._names_end = names, names + names_size
        self._values: list[int] = []
        self._sorted: list[int] | None = None
        self.size = size

    def symbol_at(self, begin: int) -> str:
        """The function that begins exactly there."""
        wanted = struct.pack("<Q", begin)
        at = self._start - 1
        while (at := self._data.find(wanted, at + 1, self._end)) >= 0:
            place = at - self._start - VALUE_AT
            if place >= 0 and place % _SYMBOL.size == 0:
                name = self._function(place, begin)
                if name:
                    return name
        return ""

    def symbol_around(self, address: int) -> str:
        """The function that the address lies in."""
        values = self._sort()
        end = bisect.bisect_right(values, address)
        for value in reversed(values[max(0, end - SYMBOLS_TO_TRY) : end]):
            for number, other in enumerate(self._values):
                name = other == value and self._function(number * _SYMBOL.size, address)
                if name:
                    return name
        return ""

    def _sort(self) -> list[int]:
        count = (self._end - self._start) // _SYMBOL.size
        if self._sorted is None and count <= MOST_SORTED:
            with memoryview(self._data) as view:
                words = view[self._start : self._start + count * _SYMBOL.size].cast("Q")
                self._values = words[1::3].tolist()
                words.release()
            self._sorted = sorted(set(self._values))
        return self._sorted or []

    def _function(self, place: int, address: int) -> str:
        """The name of the symbol at this place of the table, if it is a function and covers the address."""
        name, info, _, section, begin, size = _SYMBOL.unpack_from(self._data, self._start + place)
        covers = begin <= address < begin + max(size, 1)
        if not section or info & 0xF not in FUNCTION_KINDS or not covers:
            return ""
        start = self._names + name
        end = self._data.find(b"\0", start, self._names_end)
        return self._data[start:end].decode("ascii", "replace") if end > start else ""
