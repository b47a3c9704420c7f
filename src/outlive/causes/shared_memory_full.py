"""A file system in memory that was full."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import cause

#: A page could not be had; other processes may have freed some bytes since.
NEARLY_NOTHING_BYTES = 1 << 20


@cause(
    "D309",
    since="0.1",
    needs=("crash",),
    behind=("user-native-crashed", "native-op-crashed"),
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
    provided ends the process with SIGBUS ("Bus error").

    ## How we know
    The process ended by SIGBUS at an address that belongs to a file on such a file system, and a handler in the program found it full.

    ## What to do
    Make it larger, or share less at a time.
    """
    site = evidence.site
    if not evidence.faulted("SIGBUS") or site is None or site.fault is None:
        return
    if site.fault.kind != "file" or site.fault.past_the_file or site.mount_free_bytes is None:
        return
    if site.mount_free_bytes >= NEARLY_NOTHING_BYTES:
        return
    point, room = site.mount, site.mount_bytes or 0
    yield Finding(
        f"{point}, a file system in memory of {size(room)}, was full: a page of a shared file could not be had (SIGBUS).",
        (
            Fact("room", room, f"statfs of {point} at the crash"),
            Fact("room left", site.mount_free_bytes, f"statfs of {point} at the crash"),
            *evidence.facts_of_crash(),
            *evidence.because("run time"),
        ),
        Confidence.PROVEN if site.mount_free_bytes == 0 else Confidence.LIKELY,
        (
            Remedy(
                "Give the container more: Docker's default is 64 MB.",
                ("docker run --shm-size=2g …",),
            ),
            Remedy(
                "Or enlarge it where it is mounted, and see what fills it.",
                (f"mount -o remount,size=4G {point}", f"du -sh {point}/*"),
            ),
        ),
        where=evidence.crash_line or evidence.busy,
    )
