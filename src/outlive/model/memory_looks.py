"""The nouns of a look into a process whose memory was in danger: graphs, tapes, arrays, pictures, and where its bytes were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlive.model.findings import Place, size
from outlive.model.patterns import has_word
from outlive.model.quick_dataclass import dataclass

#: Less growth between two looks says nothing of a process this large.
GROWTH_WORTH_SPLITTING = 0.1


#: A longer expression is cut where it is told.
LONGEST_TEXT = 80

#: Of the growth of a process: a program that keeps only the few pieces between the holes uses less than this more.
GROWS_ITSELF = 0.1

#: What lies free in a heap must really be in RAM.
REALLY_THERE = 0.6


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the memory of a process was at one look. ``None``: it could not be read."""

    own_bytes: int  #: in RAM, without shared pages
    limit_bytes: int
    tensor_bytes: int | None = None  #: allocated by TensorFlow
    heap_used_bytes: int | None = None  #: handed out by malloc, tensors included
    heap_free_bytes: int | None = None  #: freed to malloc, but still held by the process
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

    @property
    def in_use(self) -> int:
        """All that was not given back."""
        return max(0, self.own_bytes - self.holes)


@dataclass(frozen=True, slots=True)
class Use:
    """What a process really used, without its holes, from look to look."""

    before: int  #: the most of the first half of the looks
    now: int
    grown_bytes: int  #: by the process as a whole, holes and all

    @property
    def part(self) -> float:
        """Of the growth: what was in use, and not free in a heap."""
        return (self.now - self.before) / max(1, self.grown_bytes)

    @property
    def grows(self) -> bool:
        """Whether it reaches new heights as the process grows: then it would reach any limit by itself, and holes only hasten it."""
        return self.part >= GROWS_ITSELF


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
class Alive:
    """An array that was there when memory was last looked at."""

    name: str
    words: str  #: its shape and type
    bytes: int
    made: Place | None = None  #: the line that made it, in the function that grew


@dataclass(frozen=True, slots=True)
class Making:
    """What the line that grew was about to make, as far as its source tells, and what was alive beside it."""

    place: Place
    text: str = ""  #: the expression; empty: what the line makes is not known
    words: str = ""  #: shape and type of what it makes
    bytes: int = 0
    change: str = ""  #: what to write instead, as a sentence without its end
    alive: tuple[Alive, ...] = ()  #: the largest first

    @property
    def says(self) -> str:
        """What the line makes: to follow its name in a sentence; nothing where that is not known."""
        text = self.text if len(self.text) <= LONGEST_TEXT else f"{self.text[:LONGEST_TEXT]}…"
        return f"makes `{text}`: {self.words}, {size(self.bytes)}" if self.text else ""

    def larger_than(self, limit: int) -> Alive | None:
        """An array that the line fills and that cannot fit: its pages are taken only as they are written."""
        return next(
            (
                one
                for one in self.alive
                if one.bytes > limit
                and one.made is not None
                and has_word(self.place.code, one.name)
            ),
            None,
        )

    @property
    def beside(self) -> str:
        """What else was alive."""
        return ", ".join(f"`{one.name}` ({one.words}, {size(one.bytes)})" for one in self.alive)


@dataclass(frozen=True, slots=True)
class Unfreed:
    """The only call of a file that takes something from a native library, which nothing in the file gives back."""

    place: Place
    call: str  #: as the source writes it
    closer: str  #: part of the name of what would give it back


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
    unfreed: Unfreed | None = None

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
