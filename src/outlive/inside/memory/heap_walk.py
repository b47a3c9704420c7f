"""Every object that the garbage collector knows: for the memory that no name of the user's code explains.

How many bytes are Python's at all, and which classes of the user's have very many or very large objects (a linked list, a callback
that only a library holds)? It stops the program for a quarter of a second, or once for half a second where that was too little, so it is
done a few times at most, when memory is in danger and nothing else explains it.

What is short must not be taken by the one who looks for it: a walk that noted every small tuple took 80 MB beside a list of a million of
them, and a program that needed 180 of its 300 MB was killed. One list of pointers is all that grows with the program now, it is made only
where there is room for it, and of long containers a sample is weighed.
"""

from __future__ import annotations

import gc
import sys

from ..start.clock import Clock
from .census import locals_of, text_of
from .named_containers import GENERATOR, own_frames
from .sizes import (
    attributes_of,
    class_name,
    elements,
    kind_of_container,
    len_of,
    native_bytes,
)
from .unnamed import so_far, unnamed_in

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Container, Dict, Iterable, List, Optional, Set, Tuple

SECONDS = 0.25
#: With TensorFlow imported it takes 0.2 s of an idle core, 0.35 to 0.6 s of one whose neighbours are busy. One walk that sees everything
#: is worth more than two that do not.
LONG_SECONDS = 0.5
#: No other thread is let in while we walk: so much longer it may take by the clock.
ON_A_BUSY_MACHINE = 2.0
CHUNK = 2000
#: The list of all objects, as it grows; there are fewer of them than blocks.
BYTES_A_BLOCK = 9
#: Of the room that is left below the limit, for that list.
SHARE_OF_ROOM = 0.25
#: Smaller ones are counted with the blocks of Python's own allocator.
LARGE_BYTES = 4096
#: Longer containers are weighed by a sample: what they refer to would be a second list of everything.
LONG = 1000
#: What several objects share is noted, so that it is counted once: 9 MB for so many.
MOST_SHARED = 100_000
DEEPEST = 3
#: Code rather than data: most of what the collector knows after an import of TensorFlow, and none of it grows.
OF_LIBRARIES = frozenset(
    {
        type,
        type(lambda: None),
        type(len),
        type(sys),
        type("".join),
        type(str.join),
        type(object.__init__),
        type((lambda value: lambda: value)(0).__closure__[0]),  # type: ignore[index]
        property,
        staticmethod,
        classmethod,
    }
)

#: Their own objects hold code, signatures and names, and no data that grows.
LIBRARIES = (
    "inspect",
    "typing",
    "_frozen_importlib",
    "weakref",
    "google.",
    "tensorflow.",
    "abc",
    "enum",
    "re",
    "keras.src.utils",
)

#: An object of Python's, on average: measured in programs with Keras models and with lists of numbers (48 to 90).
BLOCK_BYTES = 64
#: A class with more objects than this is told by its number; one with fewer is looked into.
FEW_OBJECTS = 50
SAMPLED_OBJECTS = 16
SMALLEST_BYTES = 4_000_000

#: References to an object that one container holds, where ``Walk._weigh`` counts them: the container's, the list's, the loop's, the call's.
ALONE = 1 + next(sys.getrefcount(one) for one in [object()])


class Walk:
    """One walk. What it holds for a moment it lets go of before the program goes on."""

    def __init__(
        self,
        is_own: Callable[[str], bool],
        file_of: Callable[[type], Optional[str]],
        seconds: float = SECONDS,
        named: Container[int] = (),
    ) -> None:
        self._is_own = is_own
        self._file_of = file_of
        self._named = named
        self.unnamed: List[Dict[str, Any]] = []
        self._until = Clock.thread_time() + seconds
        self._at_last = Clock.perf_counter() + ON_A_BUSY_MACHINE * seconds
        self._array: Any = getattr(sys.modules.get("numpy"), "ndarray", None)
        self._looked_at = {bytes, bytearray, str, dict, tuple, self._array}
        self._shared: Set[int] = set()
        self.bytes = BLOCK_BYTES * sys.getallocatedblocks()
        self.whole = True
        self.paused: List[
            Any
        ] = []  #: frames of the user's generators that wait: no running function names what they keep

    def run(self) -> Tuple[List[Dict[str, Any]], List[Any]]:
        """The user's classes that have many objects, and the objects of those that have few."""
        # Before there is a list of all objects: it would hold the dictionary of a frame's locals, which ``locals_of`` empties only where
        # nobody else has it. What 24 threads let go of, 5 MB each, stayed until their functions ended.
        for frame in own_frames(self._is_own):
            self._weigh(list(locals_of(frame).values()), 0)
            del frame
        objects = gc.get_objects()
        counts: Dict[type, int] = {}
        for some in self._chunks(objects):
            for one in some:
                kind = type(one)
                counts[kind] = counts.get(kind, 0) + 1
                if kind is GENERATOR and one.gi_frame and self._is_own(one.gi_code.co_filename):
                    self.paused.append(one.gi_frame)
        counts = {kind: count for kind, count in counts.items() if kind not in OF_LIBRARIES}
        own = {kind: count for kind, count in counts.items() if self._file_of(kind)}
        telling = {
            kind: kind_of_container(kind)
            for kind in counts
            if not text_of(kind, "__module__").startswith(LIBRARIES)
        }
        for some in self._chunks(objects):
            self._weigh_some([one for one in some if type(one) in telling], telling)
        self.unnamed = unnamed_in(objects, telling, self._named, self._is_own)
        few = {kind for kind, count in own.items() if count <= FEW_OBJECTS}
        many = {kind: count for kind, count in own.items() if count > FEW_OBJECTS}
        single = [one for one in objects if type(one) in few] if few else []
        return self._classes(many, objects), single

    def _chunks(self, objects: List[Any]) -> Iterable[List[Any]]:
        """A part after the other, while there is time."""
        for start in range(0, len(objects), CHUNK):
            if Clock.thread_time() > self._until or Clock.perf_counter() > self._at_last:
                self.whole = False
            if not self.whole:
                return
            yield objects[start : start + CHUNK]

    def _weigh_some(self, objects: List[Any], kinds: Dict[type, str]) -> None:
        short = []
        for one in objects:
            kind = kinds[type(one)]
            if kind and len_of(one, kind) > LONG:
                if kind in ("list", "dict"):  # large by themselves
                    self.bytes += int((list if kind == "list" else dict).__sizeof__(one))
                self._weigh_long(one, kind, 0)
            else:
                short.append(one)
        self._weigh(gc.get_referents(*short), 0)

    def _weigh_long(self, value: Any, kind: str, depth: int) -> None:
        """By a sample; where its elements are one and the same, there are no more of them than that."""
        if kind == "tuple":  # it may be in the making
            value, kind = so_far(value), "list"
        sample = elements(value, kind, LONG)
        before = self.bytes
        self._weigh(sample, depth)
        if len({id(one) for one in sample}) > len(sample) // 2:
            more = max(0, len_of(value, kind) - len(sample))
            self.bytes += (self.bytes - before) * more // len(sample)

    def _weigh(self, referents: List[Any], depth: int) -> None:
        """What lies behind the objects: texts, arrays. A dictionary of plain values is not known to the collector."""
        looked_at, array = self._looked_at, self._array
        hidden = []
        for one in referents:
            kind = type(one)
            if kind not in looked_at:
                continue
            if kind is array:
                self.bytes += native_bytes(one, self._shared) or 0
            elif kind is dict or kind is tuple:
                if depth >= DEEPEST or gc.is_tracked(one):
                    continue
                if sys.getrefcount(one) <= ALONE or self._is_new(one):
                    if len(one) > LONG:
                        self._weigh_long(one, "dict" if kind is dict else "tuple", depth + 1)
                    else:
                        hidden.append(one)
            elif len(one) >= LARGE_BYTES and (sys.getrefcount(one) <= ALONE or self._is_new(one)):
                self.bytes += native_bytes(one) or 0
        for start in range(0, len(hidden), CHUNK):
            self._weigh(gc.get_referents(*hidden[start : start + CHUNK]), depth + 1)

    def _is_new(self, value: Any) -> bool:
        """Whether something that several objects share is met for the first time."""
        if id(value) in self._shared:
            return False
        if len(self._shared) >= MOST_SHARED:
            self.whole = False
            return False
        self._shared.add(id(value))
        return True

    def _classes(self, many: Dict[type, int], objects: List[Any]) -> List[Dict[str, Any]]:
        """Classes whose objects are many: linked to each other rather than kept in one container."""
        samples: Dict[type, List[Any]] = {kind: [] for kind in many}
        for one in reversed(objects) if many else ():
            kept = samples.get(type(one))
            if kept is not None and len(kept) < SAMPLED_OBJECTS:
                kept.append(one)
        found: List[Dict[str, Any]] = []
        for kind, count in many.items():
            weights = [shallow(one, many) for one in samples[kind]]
            total = sum(weights) * count // max(1, len(weights))
            if total >= SMALLEST_BYTES:
                name = text_of(kind, "__name__")
                place = {"path": [["class", name]], "file": self._file_of(kind), "scope": name}
                holds = next((held_by(one, many) for one in samples[kind]), "")
                found.append(
                    {
                        "kind": "objects",
                        "length": count,
                        "bytes": total,
                        "holds": holds,
                        "names": [place],
                    }
                )
        return sorted(found, key=lambda entry: -entry["bytes"])[:2]


def there_is_room(room: int) -> bool:
    """Whether so many bytes below the limit are enough for a walk."""
    return BYTES_A_BLOCK * sys.getallocatedblocks() <= SHARE_OF_ROOM * room


def shallow(value: Any, many: Dict[type, int]) -> int:
    """An object and what it holds, without the other objects that it is linked to."""
    parts = [inner for inner in attributes_of(value).values() if type(inner) not in many]
    return int(object.__sizeof__(value)) + 100 + sum(part_bytes(inner) for inner in parts)


def part_bytes(value: Any) -> int:
    """What one attribute adds; what it leads to is somebody else's."""
    count = native_bytes(value)
    return count if count is not None else 100


def held_by(value: Any, many: Dict[type, int]) -> str:
    """The class of the largest thing that an object holds."""
    parts = [inner for inner in attributes_of(value).values() if type(inner) not in many]
    largest = max(parts, key=part_bytes, default=None)
    return class_name(largest) if largest is not None and part_bytes(largest) > LARGE_BYTES else ""
