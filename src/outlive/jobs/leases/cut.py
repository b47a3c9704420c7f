"""Which inputs belong together: the cut of all inputs into leases. Pure.

A lease ends where the hash of a name says so, and is called by the hash of its names. So whoever lists the same inputs cuts the same leases, without asking
anybody; and when inputs come or go, only the leases around them change. Nothing is remembered of what has been cut.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from outlive.model.quick_dataclass import dataclass

#: Inputs in a lease: enough that handing it out and committing it costs little, few enough that little is lost with whoever works on it.
USUAL_SIZE = 64
LEAST_SIZE = 4

#: A small job is cut smaller, so that several workers have something to do until its end.
LEASES_OF_A_SMALL_JOB = 32

ID_BYTES = 8

#: Of Knuth's multiplicative hash: 2^32 divided by the golden ratio.
GOLDEN = 0x9E3779B1


@dataclass(frozen=True, slots=True)
class Lease:
    """Some inputs that are worked on together, and the name of their results."""

    id: str
    items: tuple[Any, ...]
    kept: bool = True  #: its results are a file of their own


def size_for(count: int) -> int:
    """How many inputs a lease has in a job of so many; more than ``USUAL_SIZE * LEASES_OF_A_SMALL_JOB`` need not be counted."""
    return max(LEAST_SIZE, min(USUAL_SIZE, count // LEASES_OF_A_SMALL_JOB))


def leases_of(
    items: Iterable[Any], name_of: Callable[[Any], str], size: int = USUAL_SIZE
) -> Iterator[Lease]:
    """Cut the inputs; a name that comes again in the same lease is left out."""
    least, most, apart = max(1, size // 2), 2 * size, max(1, size // 2)
    mine: dict[bytes, Any] = {}
    for item in items:
        name = name_of(item).encode("utf-8", "surrogatepass")
        mine.setdefault(name, item)
        if len(mine) >= most or (len(mine) >= least and _mixed(name) % apart == 0):
            yield _lease(mine)
            mine = {}
    if mine:
        yield _lease(mine)


def _mixed(name: bytes) -> int:
    """Hash a name; of names that differ in their last digits only, the checksum alone would end leases of 93 on average instead of 64."""
    return (zlib.crc32(name) * GOLDEN) >> 16


def _lease(mine: dict[bytes, Any]) -> Lease:
    found = hashlib.blake2b(digest_size=ID_BYTES)
    for name in mine:
        found.update(b"%d:" % len(name))
        found.update(name)
    return Lease(found.hexdigest(), tuple(mine.values()))


def part_of(items: Iterable[Any], name: str) -> Lease:
    """A part of a lease, called by the hash of a name; its results are kept with those of the whole."""
    found = hashlib.blake2b(name.encode(), digest_size=ID_BYTES)
    return Lease(found.hexdigest(), tuple(items), kept=False)


def is_of_shard(lease: str, index: int, count: int) -> bool:
    """Whether the lease of this name falls to this shard: by its name alone, so that no shard needs to know of another."""
    return int(lease, 16) % count == index
