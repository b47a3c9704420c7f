"""Read memory: what may be used, what libraries will believe, how the kernel and the allocator are set."""

from __future__ import annotations

from collections.abc import Mapping

from outlive.host import Host
from outlive.look.notes import Notes
from outlive.memory_limit import effective_limit

MEMINFO = "/proc/meminfo"
OVERCOMMIT = "/proc/sys/vm/overcommit_memory"
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
MAX_MAPS = "/proc/sys/vm/max_map_count"


def read_memory(host: Host, variables: Mapping[str, str], notes: Notes) -> None:
    """Facts about memory."""
    limit = effective_limit(host)
    resident = [bound for bound in limit.bounds if bound.resident]
    mapped = [bound for bound in limit.bounds if not bound.resident]
    if resident:
        notes.add("memory limit", resident[0].bytes, resident[0].source)
    else:
        notes.miss("memory limit", "neither a control group nor /proc/meminfo could be read")
    notes.add("memory left", limit.left_bytes, resident[0].source if resident else "control groups")
    for bound in mapped[:1]:
        notes.add("address space limit", bound.bytes, bound.source)
    table = host.table(MEMINFO)
    for name, field in {
        "machine memory": "MemTotal",
        "machine memory available": "MemAvailable",
        "machine memory free": "MemFree",
        "swap size": "SwapTotal",
        "commit limit": "CommitLimit",
        "memory committed": "Committed_AS",
    }.items():
        notes.add(name, table.get(field), f"{MEMINFO}: {field}")
    notes.add("overcommit mode", host.number(OVERCOMMIT), OVERCOMMIT)
    notes.add("huge pages", _chosen(host.read(HUGE_PAGES)), HUGE_PAGES)
    notes.add("memory maps allowed", host.number(MAX_MAPS), MAX_MAPS)
    notes.add("allocator", _allocator(variables), "LD_PRELOAD")
    arenas = variables.get("MALLOC_ARENA_MAX")
    if arenas:
        notes.add("MALLOC_ARENA_MAX", arenas, "environment")


def _chosen(text: str | None) -> str | None:
    """The word in brackets: ``always [madvise] never``."""
    return text.partition("[")[2].partition("]")[0] or None if text else None


def _allocator(variables: Mapping[str, str]) -> str:
    preloaded = variables.get("LD_PRELOAD", "")
    for name in ("jemalloc", "tcmalloc", "mimalloc"):
        if name in preloaded:
            return name
    return "the C library's"
