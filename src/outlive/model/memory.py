"""The nouns of memory: where it grew, what held it, which request was refused. Frozen and picklable."""

from __future__ import annotations

import math

from outlive.model.findings import Place, size
from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass
from outlive.model.sizes import size_in

#: Of the growth of the process: less means that something else was growing.
GOOD_PART_OF_GROWTH = 0.3

#: What TensorFlow takes for each element that a stage holds, beside its tensor's bytes: buffers, counters, the allocator's heads. Measured
#: with a million elements in a shuffle, TensorFlow 2.21: 150 to 190 for one tensor, 210 for two, 430 for three.
BESIDE_AN_ELEMENT = 150
#: Of a larger one it makes no difference that anybody would see.
SMALL_ELEMENT = 1000

#: An array that was longer at so many looks, each after the process had grown by a good step.
RISES_OF_A_WHOLE = 3

#: So few lists in a dictionary are its parts; it is their elements that are many.
FEW_CONTAINERS = 8

#: Samples err by some per cent.
MOST_BELIEVABLE = 1.15

#: Of what was filled last: so little makes nobody the one who filled it, so much does.
SMALL_PART = 0.25
MOST_OF_A_RISE = 0.5

NUMPY_REFUSAL = bounded(
    r"Unable to allocate ([\d.]+ (?:bytes|[KMGTPE]iB)) for an array with shape (\(.*?\)) and data type (\S+)"
)
TENSORFLOW_REFUSAL = bounded(r"allocating tensor with shape\[([\d,]*)\] and type (\w+)")
#: An element of a container, as the heap scan writes it down.
ARRAY_HELD = bounded(
    r"(?P<name>[\w.]{1,60}) of shape \((?P<shape>[\d, ]{0,200})\) and type (?P<dtype>\w{1,40})"
)
ARRAY_NAMES = {"numpy.ndarray": "NumPy array", "tf.Tensor": "TensorFlow tensor"}
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
    inside: str = ""  #: the package in whose functions it grew, if in one


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
    share: float = (
        0.0  #: of the memory that is its process's own; of one piece, the most at any look
    )
    whole: bool = (
        False  #: one piece (an array, a text, a table) that is made anew, longer each time
    )
    rises: int = 0  #: at how many looks it took more bytes than ever before
    first_bytes: int = 0  #: at the first look
    nameless: str = ""  #: how it is called when no name leads to it: the beginning of a sentence
    bound: int | None = (
        None  #: the most elements that it may have, where it was made with such a bound
    )
    by_library: bool = False  #: it is an attribute of a library's object
    within: str = ""  #: what the containers in it hold
    errors: bool = False  #: it holds exceptions
    said_bound: str = ""  #: how many it may hold, as the source says it

    @property
    def grew(self) -> bool:
        """Whether it grew to the end, and with it a good part of the memory: not a cache that was filled long before."""
        return self.grew_by(GOOD_PART_OF_GROWTH)

    def grew_by(self, part: float) -> bool:
        """Whether it grew to the end, by so much of what its process grew by."""
        if self.whole:
            return self.feeds is not None and self.rises >= RISES_OF_A_WHOLE
        longer = self.length > self.first_length or self.inner_length > self.first_inner_length
        return self.looks > 1 and longer and self.part_of_growth >= part

    @property
    def bytes_left(self) -> int | None:
        """What it will still take until it has as many elements as it may; None where nothing bounds it."""
        if self.bound is None or not self.length:
            return None
        return max(0, self.bound - self.length) * (self.bytes // self.length)

    @property
    def counted(self) -> int:
        """The elements that were kept: of the containers in it, when it is those that grow."""
        return max(self.length, self.inner_length)

    @property
    def each(self) -> int:
        """What one element takes: of the containers in it, when there are few of those."""
        few = self.length < FEW_CONTAINERS < self.inner_length
        return self.bytes // max(1, self.inner_length if few else self.length)

    @property
    def kept(self) -> str:
        """What holds how many of what: the beginning of a sentence."""
        if self.whole:
            return f"The {self.kind} `{self.name}`{_shape(self.holds)} grows with every step (from {size(self.first_bytes)})"
        if self.nameless:
            return f"{self.nameless} holds {_counted(self.length, self.holds)}"
        if self.kind == "objects":
            holds = f" ({self.holds})" if self.holds else ""
            return f"{self.length} objects of class `{self.name}`{holds} are still alive"
        if self.inner_length > self.length:
            within = f" in {self.length} of type {self.holds}" if self.holds else ""
            return f"The {self.kind} `{self.name}` holds {self.inner_length} elements{within}"
        return f"The {self.kind} `{self.name}` holds {_counted(self.length, self.holds)}"

    @property
    def believable(self) -> bool:
        """Nothing holds more than there is: memory that was asked for and never touched weighs nothing."""
        return self.share <= MOST_BELIEVABLE


def _shape(holds: str) -> str:
    """The shape and type of one array, in brackets."""
    array = ARRAY_HELD.fullmatch(holds)
    if array is None:
        return ""
    sides = "×".join(side.strip() for side in array["shape"].split(",") if side.strip())
    return f" ({sides}, {array['dtype']})"


def _counted(count: int, holds: str) -> str:
    """Count elements as people name them: "197 NumPy arrays (384×512×3, float32)"."""
    array = ARRAY_HELD.fullmatch(holds)
    if array is None or array["name"] not in ARRAY_NAMES:
        return f"{count} elements" + (f" ({holds})" if holds else "")
    sides = "×".join(side.strip() for side in array["shape"].split(",") if side.strip())
    shape = f"{sides}, " if sides else ""
    plural = "" if count == 1 else "s"
    return f"{count} {ARRAY_NAMES[array['name']]}{plural} ({shape}{array['dtype']})"


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
        each = size(self.each or 0)
        if (self.each or 0) < SMALL_ELEMENT:
            each = f"{each} and about {BESIDE_AN_ELEMENT} bytes beside them"
        if self.held is None:
            return f"may hold {self.holds} elements of {each}: {size(self.bytes or 0)}"
        taken = self.held.bytes + BESIDE_AN_ELEMENT * self.held.elements
        held = f"held {self.held.elements} elements of {each}, {size(taken)} in all"
        part = f"{held}, {self.held.share:.0%} of the process's memory"
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
        beside = BESIDE_AN_ELEMENT if self.each < SMALL_ELEMENT else 0
        return (self.each + beside) * self.holds


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
class Neighbour:
    """A process beside the program, under the same limit."""

    pid: int
    command: tuple[str, ...]
    bytes: int
    grown_bytes: int  #: while the last part of the limit was filled

    @property
    def name(self) -> str:
        """What it is called in a sentence: its program, and the script or module that this runs."""
        words = [word.rsplit("/", 1)[-1] for word in self.command[:1]]
        rest = [word for word in self.command[1:3] if word not in ("-m", "-u")]
        words += [word.rsplit("/", 1)[-1] for word in rest[:1]]
        return " ".join(words)[:60]

    @property
    def words(self) -> str:
        """Its number and what it is."""
        return f"{self.pid}, {self.name}" if self.name else str(self.pid)

    @property
    def line(self) -> str:
        """Its command on one line, cut."""
        text = " ".join(" ".join(self.command).split())
        return f"{text[:80]}…" if len(text) > 80 else text or "command unknown"


@dataclass(frozen=True, slots=True)
class LastRise:
    """How the last part of a limit was filled, and by whom."""

    limit_bytes: int
    grown_bytes: int  #: by all who are under the limit
    own_bytes: int  #: of the program and its children, at the end
    own_grown_bytes: int
    seconds: float
    neighbours: tuple[
        Neighbour, ...
    ] = ()  #: those that are left at the end, the one that grew most first

    @property
    def by_others(self) -> bool:
        """Whether the program's own memory hardly grew in it."""
        return self.own_grown_bytes <= SMALL_PART * self.grown_bytes

    @property
    def culprits(self) -> tuple[Neighbour, ...]:
        """The neighbours that were seen to fill most of it, if they were."""
        grew = [one for one in self.neighbours if one.grown_bytes > 0]
        if sum(one.grown_bytes for one in grew) < MOST_OF_A_RISE * self.grown_bytes:
            return ()
        return tuple(one for one in grew if one.grown_bytes >= SMALL_PART * grew[0].grown_bytes)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A memory allocation that was refused, as an error message tells it."""

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
            what = f"an array of shape {array[2]} and type {array[3]}"
            return cls(text, source, where, size_in(array[1]), what)
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
