"""The nouns of memory: where it grew, what held it, which request was refused. Frozen and picklable."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from outlive.model import Place, size

#: Of the growth of the process: less means that something else was growing.
GOOD_PART_OF_GROWTH = 0.3

#: Samples err by some per cent.
MOST_BELIEVABLE = 1.15

BINARY_UNITS = {
    "bytes": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "PiB": 1 << 50,
    "EiB": 1 << 60,
}
NUMPY_REFUSAL = re.compile(
    r"Unable to allocate ([\d.]+) (bytes|[KMGTPE]iB) for an array with shape (\(.*?\)) and data type (\S+)"
)
TENSORFLOW_REFUSAL = re.compile(r"allocating tensor with shape\[([\d,]*)\] and type (\w+)")
TENSORFLOW_TYPE_BYTES = {
    "float": 4,
    "double": 8,
    "half": 2,
    "bfloat16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "complex64": 8,
    "complex128": 16,
}


@dataclass(frozen=True, slots=True)
class Growth:
    """The line that was running while memory grew."""

    place: Place
    share: float  #: of all growth that was seen
    grown_bytes: int
    seconds: float
    innermost: Place | None = None  #: the most frequent innermost own line beneath it
    unseen_after: Place | None = (
        None  #: where the last look was, if it grew in one call that let nobody look
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """A container of the user's code that held memory when it was in danger."""

    name: str  #: as the code says it: ``album``, ``self.parts``, ``state["history"]``
    kind: str  #: list, dict, deque, set, tuple, lru_cache
    length: int
    bytes: int
    holds: str = ""  #: what its elements are
    first_length: int = 0  #: at the first look, to see whether it grows
    inner_length: int = 0  #: of the containers in it together, when it holds containers
    first_inner_length: int = 0
    looks: int = 1
    part_of_growth: float = 0.0  #: of what the process grew by in the second half of the looks
    scope: str = ""  #: the function or class that it belongs to
    feeds: Place | None = None  #: the line that puts things into it
    made: Place | None = None  #: the line that made it
    share: float = 0.0  #: of the memory that is its process's own

    @property
    def grew(self) -> bool:
        """Whether it grew to the end, and with it a good part of the memory: not a cache that was filled long before."""
        longer = self.length > self.first_length or self.inner_length > self.first_inner_length
        return self.looks > 1 and longer and self.part_of_growth >= GOOD_PART_OF_GROWTH

    @property
    def counted(self) -> int:
        """The elements that were kept: of the containers in it, when it is those that grow."""
        return max(self.length, self.inner_length)

    @property
    def kept(self) -> str:
        """What kept how many of what: the beginning of a sentence."""
        holds = f" ({self.holds})" if self.holds else ""
        if self.kind == "objects":
            return f"{self.length} objects of class `{self.name}`{holds} were kept alive"
        if self.inner_length > self.length:
            within = f" in {self.length} of type {self.holds}" if self.holds else ""
            return f"The {self.kind} `{self.name}` kept {self.inner_length} elements{within}"
        return f"The {self.kind} `{self.name}` kept {self.length} elements{holds}"

    @property
    def believable(self) -> bool:
        """Nothing holds more than there is: memory that was asked for and never touched weighs nothing."""
        return self.share <= MOST_BELIEVABLE


@dataclass(frozen=True, slots=True)
class Buffered:
    """What a stage of a running pipeline held at the last look, as TensorFlow counted it."""

    kind: str
    elements: int
    bytes: int
    share: float  #: of the memory that was its process's own


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a tf.data pipeline that holds elements in memory."""

    kind: str  #: shuffle, prefetch, cache, map, interleave, cycle (interleave one after the other)
    place: Place | None  #: the user's line that built it
    buffer: int  #: elements it may hold; negative: TensorFlow decides, or all of them
    elements: int | None = None  #: in the whole data set, when that is known
    element_bytes: int | None = None
    pid: int = 0
    held: Buffered | None = None

    @property
    def each(self) -> int | None:
        """The size of an element: as it was, or as it was announced."""
        if self.held is not None:
            return self.held.bytes // self.held.elements
        return self.element_bytes

    @property
    def told(self) -> str:
        """How much it held, or may hold: to follow its name in a sentence."""
        most = f"{self.holds} elements of {size(self.each or 0)}: {size(self.bytes or 0)}"
        if self.held is None:
            return f"may hold {most}"
        held = f"held {self.held.elements} elements of {size(self.each or 0)}, {size(self.held.bytes)} in all"
        part = f"{held}, {self.held.share:.0%} of the program's own memory"
        return (
            part
            if self.holds is None or self.holds <= self.held.elements
            else f"{part}; it may hold {self.holds}"
        )

    @property
    def holds(self) -> int | None:
        """How many elements it holds at most."""
        known = [
            count for count in (self.buffer, self.elements) if count is not None and count >= 0
        ]
        return min(known) if known else None

    @property
    def bytes(self) -> int | None:
        """How much it holds at most."""
        if self.each is None or self.holds is None:
            return None
        return self.each * self.holds


@dataclass(frozen=True, slots=True)
class Traced:
    """A function of the user's that TensorFlow traced more than once."""

    name: str
    count: int
    first_count: int  #: at the first look
    place: Place  #: where it is defined
    argument: str = ""  #: whose value, shape or type differs from trace to trace
    examples: tuple[str, ...] = ()  #: of what it was: numbers, shapes, classes
    looks: int = 1  #: how often it was looked at, each time when memory had grown by a good step
    rises: int = 0  #: at how many of them, after the first, there were more traces than before
    grown_bytes: int = 0  #: by the process between the first look and the last

    def often(self, many: int, some: int, looks: int) -> bool:
        """Whether it was traced many times, or some times with more at each of so many looks, as memory grew."""
        if self.count >= many:
            return self.count > self.first_count
        return self.count >= some and self.looks >= looks and self.rises == self.looks - 1

    @property
    def bytes_a_trace(self) -> int:
        """What the process grew by for each new trace."""
        return self.grown_bytes // max(1, self.count - self.first_count)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request for memory that was refused, as an error message tells it."""

    text: str
    source: str
    where: Place | None
    bytes: int | None = None
    what: str = ""

    @classmethod
    def in_text(cls, text: str, source: str, where: Place | None) -> Refusal:
        """Read size, shape and dtype out of NumPy's or TensorFlow's words."""
        array = NUMPY_REFUSAL.search(text)
        if array:
            asked = round(float(array[1]) * BINARY_UNITS[array[2]])
            return cls(
                text, source, where, asked, f"an array of shape {array[3]} and type {array[4]}"
            )
        tensor = TENSORFLOW_REFUSAL.search(text)
        if tensor:
            count = math.prod(int(word) for word in tensor[1].split(",") if word.strip().isdigit())
            total = count * TENSORFLOW_TYPE_BYTES.get(tensor[2], 0)
            return cls(
                text,
                source,
                where,
                total or None,
                f"a tensor of shape [{tensor[1]}] and type {tensor[2]}",
            )
        return cls(text, source, where)
