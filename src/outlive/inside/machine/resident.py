"""How much memory a process has in RAM now, for those who ask now and then; the recorder, which asks all the time, keeps the file open."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Tuple, Union


def resident_bytes() -> int:
    """Memory of this process in RAM, shared files included; 0 where that cannot be read."""
    return _pages("self")[0]


def anonymous_bytes(pid: Union[int, str] = "self") -> int:
    """Memory of a process that is not a file's: what a limit is filled with; 0 where that cannot be read."""
    resident, shared = _pages(pid)
    return resident - shared


def _pages(pid: Union[int, str]) -> Tuple[int, int]:
    try:
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:
            _, resident, shared, *_ = file.read(128).split()
    except (OSError, ValueError):
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return int(resident) * page, int(shared) * page
