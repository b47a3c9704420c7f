"""The nouns of a look into a process whose memory was in danger: graphs, tapes, arrays, pictures, and where its bytes were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from outlive.model import Place

#: Less growth between two looks says nothing of a process this large.
GROWTH_WORTH_SPLITTING = 0.1


#: What lies free in a heap must really be in RAM.
REALLY_THERE = 0.6


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the memory of a process was at one look. ``None``: it could not be read."""

    own_bytes: int  #: in RAM, without shared pages
    limit_bytes: int
    tensor_bytes: int | None = None  #: handed out by TensorFlow's allocator
    heap_used_bytes: int | None = None  #: handed out by malloc, tensors included
    heap_free_bytes: int | None = None  #: given back to malloc, and still the process's
    large_bytes: int | None = None  #: of the heap, in blocks with pages of their own
    large_blocks: int | None = None
    python_bytes: int | None = None  #: counted only when no container explains the growth
    arena_used_bytes: int | None = None  #: handed out by Python's own allocator, in small pieces
    arena_free_bytes: int | None = None  #: given back to it, and still the process's
    after_refusal: bool = False  #: what the refused call had held may be free again by then

    @property
    def holes_in_arenas(self) -> int:
        """Given back to Python's allocator of small objects: all in RAM, it returns whole arenas or nothing."""
        return self.arena_free_bytes or 0

    @property
    def holes_in_heap(self) -> int:
        """Given back to malloc, if most of it is still in RAM: parts of it may have been handed to the kernel already."""
        if self.heap_used_bytes is None or self.heap_free_bytes is None:
            return 0
        known = self.heap_used_bytes + (self.arena_used_bytes or 0) + self.holes_in_arenas
        really_there = self.own_bytes - known >= REALLY_THERE * self.heap_free_bytes
        return self.heap_free_bytes if really_there else 0

    @property
    def holes(self) -> int:
        """All that was given back and is still the process's."""
        return self.holes_in_arenas + self.holes_in_heap


@dataclass(frozen=True, slots=True)
class Split:
    """How much of the growth between two looks went where."""

    grown_bytes: int
    tensors: int
    python: int
    heap_free: int
    heap_used: int | None = None  #: what malloc has handed out more
    large_block_bytes: int = 0  #: of one of the new large blocks of the heap, on average
    arena_free: int = 0

    @property
    def outside(self) -> int:
        """What neither Python nor TensorFlow's allocator nor the free lists of the other two account for."""
        known = (self.tensors, self.python, self.heap_free, self.arena_free)
        return self.grown_bytes - sum(max(0, part) for part in known)


@dataclass(frozen=True, slots=True)
class GrowingGraph:
    """A graph of TensorFlow's, with the operations that it had at the first and at the last look."""

    name: str
    operations: int
    first_operations: int
    bytes: int = 0  #: of the operations' definitions, constants included
    per_step: int | None = None  #: operations between two of the same name
    place: Place | None = None  #: the user's line that added the newest ones


@dataclass(frozen=True, slots=True)
class Tape:
    """A gradient tape that was recording at several looks, or a container of tapes."""

    name: str
    place: Place | None
    looks: int = 1  #: at how many looks it was recording
    of_looks: int = 1
    persistent: bool = False
    kept: int = 0  #: tapes in the container, when it is one
    first_kept: int = 0
    around_a_loop: bool = False  #: a loop runs inside the block that records
    tensors_grown_bytes: int | None = None  #: TensorFlow's own, between those looks


@dataclass(frozen=True, slots=True)
class WideArray:
    """A large array with more bytes an element than what it was made from."""

    name: str
    dtype: str
    shape: str
    bytes: int
    was: str  #: the narrower dtype
    would_be_bytes: int
    why: str  #: how that is known
    place: Place | None = None
    by_twin: bool = True  #: by an array of the same shape; otherwise by its values


@dataclass(frozen=True, slots=True)
class NarrowArray:
    """A large array with few bytes an element, from which a wide one may have been made."""

    name: str
    dtype: str
    shape: str
    elements: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was being read when memory ran out."""

    path: str
    width: int
    height: int
    channels: int

    @property
    def bytes(self) -> int:
        """Its size when it is decoded, one byte a channel."""
        return self.width * self.height * self.channels


@dataclass(frozen=True, slots=True)
class Allocated:
    """A line, and what it had allocated since memory was in danger and was still alive (`--deep`)."""

    place: Place
    bytes: int
    blocks: int
    share: float  #: of all that was traced and alive


@dataclass(frozen=True, slots=True)
class Looks:
    """What the looks into one process have shown."""

    ledgers: tuple[Ledger, ...] = ()
    graphs: tuple[GrowingGraph, ...] = ()
    tapes: tuple[Tape, ...] = ()
    arrays: tuple[WideArray, ...] = ()
    narrow: tuple[NarrowArray, ...] = ()  #: at the last look
    pictures: tuple[Picture, ...] = ()
    allocated: tuple[Allocated, ...] = ()  #: the largest first
    callees: Mapping[str, str] = field(
        default_factory=dict
    )  #: names on the growing line -> what they are

    def split(self) -> Split | None:
        """Where the growth between the first and the last full look went; None when they tell too little.

        Of one full look, all that Python holds counts as if it had grown since the first, but for the small pieces that it held
        then: that is more than the truth.
        """
        full = [ledger for ledger in self.ledgers if ledger.python_bytes is not None]
        if not full:
            return None
        first, last = (full if len(full) > 1 else self.ledgers)[0], full[-1]
        grown = last.own_bytes - first.own_bytes
        if grown < GROWTH_WORTH_SPLITTING * last.limit_bytes:
            return None
        return Split(
            grown,
            (last.tensor_bytes or 0) - (first.tensor_bytes or 0),
            (last.python_bytes or 0) - (first.python_bytes or first.arena_used_bytes or 0),
            (last.heap_free_bytes or 0) - (first.heap_free_bytes or 0),
            _more(first.heap_used_bytes, last.heap_used_bytes),
            _one_block(first, last),
            (last.arena_free_bytes or 0) - (first.arena_free_bytes or 0),
        )


def _more(first: int | None, last: int | None) -> int | None:
    return last - first if first is not None and last is not None else None


def _one_block(first: Ledger, last: Ledger) -> int:
    """The size of the large blocks that are new, on average."""
    more = (last.large_bytes or 0) - (first.large_bytes or 0)
    return more // max(1, (last.large_blocks or 0) - (first.large_blocks or 0)) if more > 0 else 0
