"""What must be read before the program starts, and nothing that takes time to import."""

from __future__ import annotations

import os
import stat
import time

from outlive.inside.machine.host import Host

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any


def stderr_position(at_start: bool) -> int | None:
    """Where stderr stands, if it is a regular file; the program writes through the same description."""
    try:
        found = os.fstat(2)
        if not stat.S_ISREG(found.st_mode):
            return None
        import fcntl

        if at_start and fcntl.fcntl(2, fcntl.F_GETFL) & os.O_APPEND:
            return found.st_size
        return os.lseek(2, 0, os.SEEK_CUR)
    except OSError:
        return None


def reading(host: Host, groups: Any, began: float) -> dict[str, Any]:
    """The counters that a death may change."""
    members = host.group_members(groups[0]) if groups else None
    return {
        "at": round(time.monotonic() - began, 3),
        "groups": [
            [group.path, group.version, *host.read_group(group).as_list()] for group in groups
        ],
        "members": sorted(members)[:500] if members is not None else None,
        "machine_oom_kills": host.machine_oom_kills(),
    }


class Baseline:
    """The state of the world just before the start."""

    def __init__(self, host: Host) -> None:
        self.began = time.monotonic()
        self.time = time.time()
        self.stderr_start = stderr_position(at_start=True)
        self.kernel_log = _open_kernel_log()
        self.reading = reading(host, host.memory_groups(), self.began)


def _open_kernel_log() -> int | None:
    try:
        handle = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(handle, 0, os.SEEK_END)
        return handle
    except OSError:
        return None
