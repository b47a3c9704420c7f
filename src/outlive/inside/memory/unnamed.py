"""Large containers that no name of the user's code leads to: what ``list(map(…))`` has made so far, what a library keeps for its own ends.

They are found among all objects that the collector knows, the newest first, and told by whose attribute they are. Nothing is called.
"""

from __future__ import annotations

import gc
import sys

from ..start.clock import Clock
from .sizes import (
    attributes_of,
    class_name,
    container_kind,
    describe_element,
    elements,
    inner_length,
    is_code,
    len_of,
    shallow_bytes,
    weight,
)

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Container, Dict, List, Optional, Tuple

SECONDS = 0.1
#: Between two looks at the clock.
CHUNK = 500
FEWEST_ELEMENTS = 8
LONGEST_TUPLE = 200_000
SMALLEST_BYTES = 4_000_000
MOST_REPORTED = 4
#: Weighed twice, the second time with all that its elements share.
MOST_WEIGHED = 24
#: To ask who refers to a container takes as long as there are objects.
MOST_OBJECTS = 1_000_000
#: From an element to the user's function that it leads to.
MOST_FOLLOWED = 300

FUNCTION = type(lambda: None)
MODULE = type(sys)
FRAME = type(sys._getframe())
CELL = type((lambda value: lambda: value)(0).__closure__[0])  # type: ignore[index]


def unnamed_in(
    objects: List[Any],
    kinds: Dict[type, str],
    named: Container[int],
    is_own: Callable[[str], bool],
) -> List[Dict[str, Any]]:
    """The largest containers among all objects that nobody has come to by a name."""
    rough = _roughly(objects, kinds, named)
    rough.sort(key=lambda entry: -entry[0])
    exact = [(weight(one), one, kind) for _, one, kind in rough[:MOST_WEIGHED]]
    rough.clear()
    exact.sort(key=lambda entry: -entry[0])
    found = []
    for total, one, kind in exact[:MOST_REPORTED]:
        if total >= SMALLEST_BYTES:
            owner = owner_of(one) if len(objects) <= MOST_OBJECTS else ""
            found.append(_entry(one, kind, total, owner, is_own))
    return found


def _roughly(
    objects: List[Any], kinds: Dict[type, str], named: Container[int]
) -> List[Tuple[int, Any, str]]:
    """The containers that may be large, by the first and the last of their elements."""
    until = Clock.thread_time() + SECONDS
    found = []
    count = len(objects)
    for turn in range(count):
        if turn % CHUNK == 0 and Clock.thread_time() > until:
            break
        # The collector lists what is new first, then all that is old, of which the newest comes last.
        one = objects[turn // 2 if turn % 2 else count - 1 - turn // 2]
        kind = kinds.get(type(one))
        if not kind or id(one) in named or (kind == "dict" and "__builtins__" in keys_of(one)):
            continue
        length = len_of(one, kind)
        if length < FEWEST_ELEMENTS:
            continue
        if kind == "tuple":
            one = so_far(one) if length <= LONGEST_TUPLE else []
            length = len(one)
            if length < FEWEST_ELEMENTS:
                continue
        each = max(weight(inner) for inner in elements(one, container_kind(one), 2))
        if shallow_bytes(one) + each * length >= SMALLEST_BYTES:
            found.append((shallow_bytes(one) + each * length, one, kind))
    return found


def so_far(value: Any) -> List[Any]:
    """The elements of a tuple, which may still be in the making: then some places are empty, and to ask for one ends the process."""
    return gc.get_referents(value)


def _entry(
    value: Any, kind: str, total: int, owner: str, is_own: Callable[[str], bool]
) -> Dict[str, Any]:
    """What is written down of a container; of a tuple, the list of what it has so far is given."""
    weighed = container_kind(value)
    made = next((own_code(one, is_own) for one in elements(value, weighed, 1)), None)
    step = ["owner", owner] if owner else ["unnamed", kind]
    found: Dict[str, Any] = {
        "kind": kind,
        "length": len_of(value, weighed),
        "inner": inner_length(value, weighed),
        "bytes": total,
        "holds": describe_element(value, weighed),
        "names": [
            {
                "path": [step],
                "file": made.co_filename if made is not None else "",
                "scope": made.co_name if made is not None else "",
            }
        ],
    }
    if made is not None:
        found["line"] = made.co_firstlineno
    return found


def keys_of(value: Any) -> Any:
    """The keys of a dictionary, by the built-in type's own method."""
    return dict.keys(value)


def owner_of(value: Any) -> str:
    """Whose attribute a container is, as ``Class.attribute`` or ``module.name``; nothing when no object has it."""
    for referrer in gc.get_referrers(value):
        if type(referrer) is dict:
            key = next((key for key, inner in list(dict.items(referrer)) if inner is value), None)
            holders = gc.get_referrers(referrer) if type(key) is str else ()
            holder = next((one for one in holders if _may_own(one)), None)
            if holder is not None:
                return f"{_called(holder)}.{key}"
        elif _may_own(referrer):
            for key, inner in attributes_of(referrer).items():
                if inner is value:
                    return f"{_called(referrer)}.{key}"
    return ""


def _may_own(value: Any) -> bool:
    """Whether an object has attributes: not a container, nor a function that only sees a module's names."""
    return type(value) not in (FRAME, FUNCTION, CELL) and not container_kind(value)


def _called(owner: Any) -> str:
    if type(owner) is MODULE:
        return str(owner.__name__)
    return class_name(owner)


def own_code(value: Any, is_own: Callable[[str], bool]) -> Optional[Any]:
    """The code of the user's that an element leads to: the function that a library was given."""
    seen = {id(value)}
    waiting = [value]
    while waiting and len(seen) < MOST_FOLLOWED:
        one = waiting.pop(0)
        if type(one) is FUNCTION:
            if is_own(one.__code__.co_filename):
                return one.__code__
            inner = [*(one.__closure__ or ()), *(one.__defaults__ or ())]
        elif is_code(one) or issubclass(type(one), type):
            continue
        else:
            inner = gc.get_referents(one)
            method = type.__getattribute__(type(one), "__dict__").get("__call__")
            if type(method) is FUNCTION and is_own(method.__code__.co_filename):
                return method.__code__
        for next_one in inner:
            if id(next_one) not in seen:
                seen.add(id(next_one))
                waiting.append(next_one)
    return None
