"""How much memory this process has in RAM, from a file that is opened once."""

from __future__ import annotations

import os

from .aside import put_aside

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Optional, Tuple

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Meter:
    """The open file. It is read at a position, so that nothing is taken from a descriptor that is no longer ours."""

    def __init__(self) -> None:
        self._handle = -1
        self._identity: Optional[Tuple[int, int]] = None

    def open(self) -> None:
        """Before the program's first line, and in a child before it goes on."""
        try:
            self._handle = put_aside(os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC))
            self._identity = self._found()
        except (ImportError, OSError, ValueError):
            self._handle = -1

    def forked(self) -> None:
        """The parent's file tells of the parent."""
        try:
            if self._handle >= 0 and self._found() == self._identity:
                os.close(self._handle)
        except OSError:
            pass  # the program has closed it
        self.open()

    def in_ram(self) -> Tuple[int, int]:
        """Resident and shared bytes; zeros when the program has closed the file."""
        try:
            words = os.pread(self._handle, 128, 0).split()
            return int(words[1]) * PAGE_BYTES, int(words[2]) * PAGE_BYTES
        except (OSError, ValueError, IndexError):
            return 0, 0

    def _found(self) -> Tuple[int, int]:
        found = os.fstat(self._handle)
        return found.st_dev, found.st_ino


METER = Meter()


def resident_bytes() -> int:
    """Memory of this process in RAM, shared files included."""
    return METER.in_ram()[0]


def private_bytes() -> int:
    """Memory that is this process's own: without the pages of shared libraries and mapped files."""
    resident, shared = METER.in_ram()
    return max(0, resident - shared)
