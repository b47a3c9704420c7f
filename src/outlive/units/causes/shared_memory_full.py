"""A file system in memory that was full."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import ROOM, ROOM_LEFT, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import cause

#: A page could not be had; other processes may have freed some bytes since.
NEARLY_NOTHING_BYTES = 1 << 20

SHARED_MEMORY = "/dev/shm"
ENOSPC = 28
NO_ROOM = re.compile("No space left on device")


@cause(
    "D309",
    since="0.1",
    needs=("crash",),
    behind=(
        "user-native-crashed",
        "native-op-crashed",
        "disk-full",
        "uncaught-exception",
        "exited-by-program",
    ),
    searched=(
        "docker --shm-size bus error",
        "No space left on device /dev/shm",
        "DataLoader worker is killed by signal: Bus error",
        "Bus error (core dumped)",
        "exit code 135",
    ),
)
def shared_memory_full(evidence: Evidence) -> Iterator[Finding]:
    """Shared memory was full: /dev/shm, or another file system that lives in memory.

    ## What happened
    Data that processes share (`multiprocessing.shared_memory`, worker queues, memory-mapped arrays) lies in a small file system in memory.
    Docker gives a container 64 MB of it. A file there may be made larger than what is left; the first write to a page that cannot be
    provided ends the process with SIGBUS ("Bus error"). A plain write is refused instead ("No space left on device").

    ## How we know
    The process was killed by SIGBUS at an address that belongs to a file on such a file system, and a handler in the program found it full; or a write failed because the file system was full, and the file was in /dev/shm.

    ## What to do
    Make it larger, or share less at a time.
    """
    if not evidence.crash.faulted("SIGBUS"):
        yield from _refused(evidence)
        return
    site = evidence.crash.site
    if site is None or site.fault is None:
        return
    if site.fault.kind != "file" or site.fault.past_the_file or site.mount_free_bytes is None:
        return
    if site.mount_free_bytes >= NEARLY_NOTHING_BYTES:
        return
    point, room = site.mount, site.mount_bytes or 0
    yield Finding(
        f"{point}, a file system in memory of {size(room)}, was full: a page of a shared file could not be allocated (SIGBUS).",
        (
            Fact(ROOM, room, f"statfs of {point} at the crash"),
            Fact(ROOM_LEFT, site.mount_free_bytes, f"statfs of {point} at the crash"),
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.PROVEN if site.mount_free_bytes == 0 else Confidence.LIKELY,
        _remedies(point),
        where=evidence.crash.line or evidence.run.busy,
    )


def _refused(evidence: Evidence) -> Iterator[Finding]:
    """A write to a file in shared memory failed with an exception."""
    room = evidence.circumstances.full_room
    found = evidence.errors.like(NO_ROOM, ENOSPC)
    if found is None or room is None or room.point != SHARED_MEMORY:
        return
    error, sure = found
    yield Finding(
        f"{room.point}, a file system in memory of {size(room.total_bytes)}, had no space for what was written.",
        (
            Fact("refused", error.words, "exception"),
            Fact("file system", f"{room.point} ({room.size_words})", "mountinfo"),
            Fact(ROOM_LEFT, room.free_bytes, "statvfs after the death"),
            *(
                Fact("takes the most", pile.words, "the folder, read after the death")
                for pile in room.piles[:3]
            ),
            *evidence.run.because(RUN_TIME),
        ),
        sure,
        _remedies(room.point),
        where=evidence.errors.line_of(error),
    )


def _remedies(point: str) -> tuple[Remedy, ...]:
    return (
        Remedy(
            "Give the container more: Docker's default is 64 MB.",
            ("docker run --shm-size=2g …",),
        ),
        Remedy(
            "Or enlarge the mount, and see what fills it.",
            (f"mount -o remount,size=4G {shlex.quote(point)}", f"du -sh {shlex.quote(point)}/*"),
        ),
    )
