"""Read memory: what may be used, what libraries will believe, how the kernel and the allocator are set."""

from __future__ import annotations

from collections.abc import Mapping

from outlive.doctor.look.notes import Notes
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
from outlive.model.fact_names import (
    ADDRESS_SPACE_LIMIT,
    ALLOCATOR,
    COMMIT_LIMIT,
    HUGE_PAGES,
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    MACHINE_MEMORY_FREE,
    MALLOC_ARENA_MAX,
    MEMORY_COMMITTED,
    MEMORY_LEFT,
    MEMORY_LIMIT,
    MEMORY_MAPS_ALLOWED,
    OVERCOMMIT_MODE,
    SWAP_SIZE,
)

MEMINFO = "/proc/meminfo"
OVERCOMMIT = "/proc/sys/vm/overcommit_memory"
HUGE_PAGES_FILE = "/sys/kernel/mm/transparent_hugepage/enabled"
MAX_MAPS = "/proc/sys/vm/max_map_count"


def read_memory(host: Host, variables: Mapping[str, str], notes: Notes) -> None:
    """Note how much memory there is, and what limits it."""
    limit = effective_limit(host)
    resident = [bound for bound in limit.bounds if bound.resident]
    mapped = [bound for bound in limit.bounds if not bound.resident]
    if resident:
        notes.add(MEMORY_LIMIT, resident[0].bytes, resident[0].source)
    else:
        notes.miss(MEMORY_LIMIT, "neither a cgroup nor /proc/meminfo could be read")
    notes.add(MEMORY_LEFT, limit.left_bytes, resident[0].source if resident else "cgroups")
    for bound in mapped[:1]:
        notes.add(ADDRESS_SPACE_LIMIT, bound.bytes, bound.source)
    table = host.table(MEMINFO)
    for name, field in {
        MACHINE_MEMORY: "MemTotal",
        MACHINE_MEMORY_AVAILABLE: "MemAvailable",
        MACHINE_MEMORY_FREE: "MemFree",
        SWAP_SIZE: "SwapTotal",
        COMMIT_LIMIT: "CommitLimit",
        MEMORY_COMMITTED: "Committed_AS",
    }.items():
        notes.add(name, table.get(field), f"{MEMINFO}: {field}")
    notes.add(OVERCOMMIT_MODE, host.number(OVERCOMMIT), OVERCOMMIT)
    notes.add(HUGE_PAGES, _chosen(host.read(HUGE_PAGES_FILE)), HUGE_PAGES_FILE)
    notes.add(MEMORY_MAPS_ALLOWED, host.number(MAX_MAPS), MAX_MAPS)
    notes.add(ALLOCATOR, _allocator(variables), "LD_PRELOAD")
    arenas = variables.get(MALLOC_ARENA_MAX)
    if arenas:
        notes.add(MALLOC_ARENA_MAX, arenas, "environment")


def _chosen(text: str | None) -> str | None:
    """The word in brackets: ``always [madvise] never``."""
    return text.partition("[")[2].partition("]")[0] or None if text else None


def _allocator(variables: Mapping[str, str]) -> str:
    preloaded = variables.get("LD_PRELOAD", "")
    for name in ("jemalloc", "tcmalloc", "mimalloc"):
        if name in preloaded:
            return name
    return "the C library's"
