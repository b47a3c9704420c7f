"""How far the `for` loops are that run now: read from the iterators that lie on the value stacks of the running functions.

Nothing is put into the program: a `range`, a list, a dictionary, an `enumerate` or a `zip` tells how much of it is left. See
``value_stack`` for how a word of a stack is believed; here it must lead to an iterator of a type that is known, and that is referred to.
"""

from __future__ import annotations

# From where it is known already: there may be no descriptor left to import it anew.
from .census import ctypes, locals_of  # type: ignore[attr-defined]
from .value_stack import OWNER_BITS, slots

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Tuple

    from .value_stack import Reader

    Turns = Tuple[str, int, str, int, Optional[int], Optional[int]]

#: A word that leads to freed memory has another's address, or nothing, where the references are counted.
MOST_REFERENCES = 1_000_000

#: What each of them gives is known to Python alone: none of these calls code of the program's.
ITERATORS: Tuple[Any, ...] = (
    iter(range(0)), iter(range(1 << 80)), iter([]), iter(()), iter(""), iter(b""), iter({}), iter({}.values()), iter({}.items()),
    iter(set()), reversed([]),
)  # fmt: skip
TELLS_THE_REST = frozenset(type(one) for one in ITERATORS)
#: Those whose place is told without going through what is left.
TELLS_ITS_PLACE = frozenset((type(iter(range(0))), type(iter([])), type(iter(()))))
#: Those around another iterator.
AROUND = (enumerate, zip)
#: A loop of a library's that hands each element on (a progress bar) is a generator.
GENERATOR = type(_ for _ in ())

DEEPEST = 6
MOST_FRAMES = 60
MOST_LOOPS = 12
MOST_COUNTING_FRAMES = 6
MOST_NUMBERS = 30
LARGEST_COUNT = 1 << 53


def turns_of(frame: Any, reader: Reader, is_own: Callable[[str], bool]) -> List[Turns]:
    """The loops of the program's own functions, outermost first.

    Each as file, line that runs, function, the iterator's number, turns begun and turns left, as far as it tells.
    """
    found: List[Turns] = []
    for own in own_frames_of(frame, is_own):
        for iterator in iterators_on(own, reader):
            done, left = progress(iterator, reader, 0)
            if done is not None or left is not None:
                code = own.f_code
                place = (code.co_filename, own.f_lineno or 0, code.co_name)
                found.append((*place, id(iterator), done, left))
            del iterator
    return found[:MOST_LOOPS]


def own_frames_of(frame: Any, is_own: Callable[[str], bool]) -> List[Any]:
    """The frames of the program's own functions, outermost first."""
    frames: List[Any] = []
    while frame is not None and len(frames) < MOST_FRAMES:
        if is_own(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


def numbers_in(frame: Any, is_own: Callable[[str], bool]) -> List[Tuple[str, int, str, List[Any]]]:
    """The whole numbers that the program's own functions have by name: one of them may count the turns of a `while` loop.

    Each as file, line that runs, function, and pairs of name and number.
    """
    found = []
    for own in own_frames_of(frame, is_own)[:MOST_COUNTING_FRAMES]:
        numbers: List[Any] = [
            [name, value]
            for name, value in locals_of(own).items()
            if type(value) is int and type(name) is str and 0 <= value < LARGEST_COUNT
        ]
        code = own.f_code
        if numbers:
            found.append(
                (code.co_filename, own.f_lineno or 0, code.co_name, numbers[:MOST_NUMBERS])
            )
    return found


def iterators_on(frame: Any, reader: Reader) -> List[Any]:
    """The iterators that lie on the value stack of a function, the outermost loop's first."""
    found: List[Any] = []
    known = {id(kind) for kind in (*TELLS_THE_REST, *AROUND, GENERATOR)}
    for word in slots(frame, reader):
        at = word & ~OWNER_BITS
        head = reader.words(at, 2)
        if head and 0 < head[0] < MOST_REFERENCES and head[1] in known:
            value = ctypes.cast(at, ctypes.py_object).value
            if not any(value is one for one in found):
                found.append(value)
    return found


def begun_of(iterator: Any) -> Optional[int]:
    """How many turns were begun; a `range` tells it until Python 3.11, a list always."""
    place = iterator.__reduce__()[2:]
    return int(place[0]) if place and isinstance(place[0], int) else None


def progress(iterator: Any, reader: Reader, depth: int) -> Tuple[Optional[int], Optional[int]]:
    """How many turns were begun, and how many are left; nothing where it does not tell."""
    kind = type(iterator)
    if depth > DEEPEST:
        return None, None
    if kind in TELLS_THE_REST:
        left = int(iterator.__length_hint__())
        return begun_of(iterator) if kind in TELLS_ITS_PLACE else None, left
    if kind is enumerate:
        inner, begun = iterator.__reduce__()[1]
        return int(begun), progress(inner, reader, depth + 1)[1]
    if kind is zip:
        rests = [progress(one, reader, depth + 1)[1] for one in iterator.__reduce__()[1]]
        told = [rest for rest in rests if rest is not None]
        return None, min(told) if told else None
    if kind is GENERATOR and iterator.gi_frame is not None and not iterator.gi_running:
        for inner in iterators_on(iterator.gi_frame, reader):
            told_of = progress(inner, reader, depth + 1)
            if told_of != (None, None):
                return told_of
    return None, None
