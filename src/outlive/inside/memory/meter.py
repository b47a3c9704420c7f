"""How much memory this process has in RAM, from a file that is opened once."""

from __future__ import annotations

import ctypes
import os
import re
import resource

from ..start.descriptors import put_aside
from ..start.real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Optional, Tuple

#: Of the account that Python's allocator of small objects gives (``sys._debugmallocstats``).
IN_USE = rb"bytes in allocated blocks += +([\d,]+)"
FREE = (
    rb"bytes in available blocks += +([\d,]+)",
    rb"unused pools \* \d+ bytes += +([\d,]+)",
)

#: As in <malloc.h>.
MALLINFO2 = [
    (name, ctypes.c_size_t)
    for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost",
    )
]  # fmt: skip

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Meter:
    """The open file. It is read at a position, so that nothing is taken from a descriptor that is no longer ours."""

    def __init__(self) -> None:
        self._handle = -1
        self._identity: Optional[Tuple[int, int]] = None
        self.told: Tuple[int, ...] = ()  #: what the shim has read at this tick, while it calls us

    def open(self) -> None:
        """Before the program's first line, and in a child before it goes on."""
        try:
            self._handle = put_aside(Real.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC))
            self._identity = self._found()
        except (ImportError, OSError, ValueError):
            self._handle = -1

    def take_over(self, handle: int, identity: Optional[Tuple[int, int]]) -> None:
        """Go on with what ``sitecustomize`` has opened; the thread that loads us has other descriptors."""
        self._handle, self._identity = handle, identity

    @property
    def handle(self) -> int:
        """The descriptor, for the shim; -1 without one."""
        return self._handle

    def forked(self) -> None:
        """The parent's file tells of the parent."""
        try:
            if self._handle >= 0 and self._found() == self._identity:
                Real.close(self._handle)
        except OSError:
            pass  # the program has closed it
        self.open()

    def pages(self) -> Tuple[int, int, int]:
        """Mapped, resident and shared bytes; zeros when the program has closed the file."""
        if self.told:
            return self.told[0], self.told[1], self.told[2]
        try:
            words = Real.pread(self._handle, 128, 0).split()
            return tuple(int(word) * PAGE_BYTES for word in words[:3])  # type: ignore[return-value]
        except (OSError, ValueError):
            return 0, 0, 0

    def data(self) -> int:
        """What counts against RLIMIT_DATA; zero when the program has closed the file."""
        if self.told:
            return self.told[3]
        try:
            return int(Real.pread(self._handle, 128, 0).split()[5]) * PAGE_BYTES
        except (OSError, ValueError, IndexError):
            return 0

    def limit(self, path: str) -> Tuple[int, int]:
        """The smallest limit above the program, and what is used of it by all that share it, as the supervisor tells it in a link."""
        if self.told:
            return self.told[4], self.told[5]
        try:
            words = os.readlink(path).split()
            return int(words[0]), int(words[1]) if len(words) > 1 else 0
        except (OSError, ValueError, IndexError):
            return 0, 0

    def _found(self) -> Tuple[int, int]:
        found = Real.fstat(self._handle)
        return found.st_dev, found.st_ino


METER = Meter()


def resident_bytes() -> int:
    """Memory of this process in RAM, shared files included."""
    return METER.pages()[1]


def private_bytes() -> int:
    """Memory that is this process's own: without the pages of shared libraries and mapped files."""
    _, resident, shared = METER.pages()
    return max(0, resident - shared)


def address_space() -> Tuple[int, Optional[int]]:
    """What is mapped, and the limit on it that is in force now; None when there is none."""
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return METER.pages()[0], None if soft == resource.RLIM_INFINITY or soft < 0 else soft


def room_in_address_space() -> Optional[int]:
    """How much may still be mapped; None when there is no limit, or nobody knows what is mapped."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return None
    mapped, limit = address_space()
    return max(0, limit - mapped) if mapped and limit is not None else None


class Malloc:
    """The C library's account of its heap (``mallinfo2``), made ready once: it is asked several times a second when memory is in danger."""

    ask: Any = None  #: False without glibc 2.33 or later

    @classmethod
    def ready(cls) -> Any:
        """The function, or False."""
        if cls.ask is None:
            try:
                cls.ask = ctypes.CDLL(None).mallinfo2
                cls.ask.restype = type("Answer", (ctypes.Structure,), {"_fields_": MALLINFO2})
            except (OSError, AttributeError):
                cls.ask = False
        return cls.ask


def heap() -> Optional[Tuple[int, int, int, int]]:
    """What malloc has handed out, and what was given back to it but not to the kernel; of the former the large blocks, which have
    pages of their own: their bytes and their number. None without glibc 2.33 or later."""
    ask = Malloc.ready()
    if not ask:
        return None
    answer = ask()
    mapped, blocks = int(answer.hblkhd), int(answer.hblks)
    return int(answer.uordblks) + mapped, int(answer.fordblks), mapped, blocks


def arenas() -> Optional[Tuple[int, int]]:
    """What Python's own allocator has handed out in small pieces, and what was given back to it but not to the kernel.

    It tells that in a text, to a stream. One in memory is made for it: 1.2 ms for 300 MB of arenas. None where it is not in use.
    """
    try:
        library = ctypes.CDLL(None)
        tell: Any = ctypes.pythonapi._PyObject_DebugMallocStats
        stream: Any = library.open_memstream
    except (OSError, AttributeError):
        return None
    text, length = ctypes.c_void_p(), ctypes.c_size_t()
    stream.restype = ctypes.c_void_p
    opened = ctypes.c_void_p(stream(ctypes.byref(text), ctypes.byref(length)))
    if not opened:
        return None
    tell(opened)
    library.fclose(opened)
    told = ctypes.string_at(text.value, length.value) if text.value else b""
    library.free(text)
    used, *free = [
        int(found[1].replace(b",", b"")) if found else None
        for found in (re.search(pattern, told) for pattern in (IN_USE, *FREE))
    ]
    if used is None or None in free:
        return None
    return used, sum(part for part in free if part is not None)
