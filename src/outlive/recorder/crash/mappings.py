"""The mappings of a dead process, as its handler copied them from ``/proc/self/maps``. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from outlive.model.quick_dataclass import dataclass

LINE = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) ([-r][-w][-x][-ps]) ([0-9a-f]+) [0-9a-f]+:[0-9a-f]+ \d+ *(.*)$"
)

#: What Linux lets nobody map, so that a null pointer with an offset is found out (vm.mmap_min_addr).
NULL_BYTES = 65536

#: A function may take this much stack before it touches it; glibc's own check of stacks assumes as much.
ONE_FRAME_BYTES = 1 << 20

DELETED = " (deleted)"

#: What the kernel calls memory that is shared with children, of System V, or behind a descriptor.
NAMELESS = ("/dev/zero (deleted)", "/SYSV", "/memfd:", "/anon_hugepage", "/[aio]")


@dataclass(frozen=True, slots=True)
class Mapping:
    """One line: from where to where, what may be done there, and whose it is."""

    start: int
    end: int
    permissions: str
    offset: int
    path: str

    def __contains__(self, address: int) -> bool:
        return self.start <= address < self.end

    @property
    def file(self) -> str:
        """The file that is mapped, or nothing: anonymous memory, the kernel's own, shared memory without a name."""
        nameless = not self.path.startswith("/") or self.path.startswith(NAMELESS)
        return "" if nameless else self.path.removesuffix(DELETED)

    @property
    def deleted(self) -> bool:
        """Whether the file was gone already."""
        return self.path.endswith(DELETED)

    @property
    def forbidden(self) -> bool:
        """Nothing may be done there: the guard of a stack, or room that is kept free."""
        return self.permissions.startswith("---")

    def file_offset(self, address: int) -> int:
        """Where in the file the address lies."""
        return address - self.start + self.offset


class Mappings:
    """Those that were kept: they are enough to say what lies at the addresses of the crash."""

    def __init__(self, text: str) -> None:
        self._all = tuple(_mappings(text.splitlines()))

    def at(self, address: int) -> Mapping | None:
        """The mapping of this address."""
        return next((mapping for mapping in self._all if address in mapping), None)

    def after(self, address: int) -> Mapping | None:
        """The first one above this address."""
        return next((mapping for mapping in self._all if mapping.start > address), None)

    def stack_above(self, address: int) -> Mapping | None:
        """The stack whose lower end the address has run past, if it has.

        The stack of a thread has a guard below it, that of the main thread nothing.
        """
        here = self.at(address)
        if here is not None and not here.forbidden:
            return None
        above = self.after(address)
        if above is None or "w" not in above.permissions or above.file:
            return None
        if here is not None:
            return above if here.end == above.start else None
        near = above.start - address <= ONE_FRAME_BYTES
        return above if near and above.path.startswith("[stack") else None

    def __bool__(self) -> bool:
        return bool(self._all)


def _mappings(lines: Iterable[str]) -> Iterable[Mapping]:
    for line in lines:
        found = LINE.match(line)
        if found:
            start, end, permissions, offset, path = found.groups()
            yield Mapping(int(start, 16), int(end, 16), permissions, int(offset, 16), path)
