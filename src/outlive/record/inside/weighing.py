"""About how many bytes an object keeps alive. Nothing of the program's is called: sizes come from the built-in types' own methods.

Contents are weighed by a few samples. What several samples share (the model that every History points to) is counted once.
"""

from __future__ import annotations

import gc
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight
from itertools import islice

from .census import text_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Set

SAMPLED_ELEMENTS = 12
DEEPEST = 4
MOST_ATTRIBUTES = 64
LONGEST_CHAIN_OF_VIEWS = 4

PLAIN: Any = object  # its own __sizeof__: a class may have put anything in its place
SLOT: Any = type(type("Slotted", (), {"__slots__": ("slot",)}).slot)  # type: ignore[attr-defined]
CONTAINERS = (
    ("dict", dict),
    ("list", list),
    ("deque", deque),
    ("set", set),
    ("set", frozenset),
    ("tuple", tuple),
)
ATOMS = (bytes, bytearray, str, int, float, bool)


def defines(kind: type, name: str) -> bool:
    """Whether a class or one of its bases defines a name; nothing of the class is called."""
    return any(name in type.__getattribute__(base, "__dict__") for base in type.mro(kind))


def container_kind(value: Any) -> str:
    """The built-in container that a value is, or nothing. By its type: ``isinstance`` would ask the value itself."""
    return kind_of_container(type(value))


def kind_of_container(kind: type) -> str:
    """The built-in container that the objects of a class are, or nothing."""
    for name, owner in CONTAINERS:
        if issubclass(kind, owner):
            return name
    return ""


def every_element(value: Any, kind: str) -> List[Any]:
    """The elements, by the built-in type's own method."""
    if kind == "dict":
        return list(dict.values(value))
    if kind == "list":
        return list(list.__iter__(value))
    if kind == "deque":
        return list(deque.__iter__(value))
    if kind == "tuple":
        return list(tuple.__iter__(value))
    return list((set if issubclass(type(value), set) else frozenset).__iter__(value))


def len_of(value: Any, kind: str) -> int:
    """The length by the built-in type's own method: a subclass may have put anything in its place."""
    owner: Any = {"dict": dict, "list": list, "deque": deque, "tuple": tuple}.get(kind)
    if owner is None:
        owner = set if issubclass(type(value), set) else frozenset
    return int(owner.__len__(value))


def elements(value: Any, kind: str, most: int = SAMPLED_ELEMENTS) -> List[Any]:
    """A few elements, spread evenly, the last among them: it is the newest. Never a copy of all: memory may be short."""
    length = len_of(value, kind)
    step = max(1, length // most)
    owner: Any = {"list": list, "tuple": tuple, "deque": deque}.get(kind)
    if owner is not None:
        places = range(length - 1, -1, -step)[:most]
        return [owner.__getitem__(value, place) for place in places]
    spread: Any
    if kind == "dict":
        spread = reversed(dict.values(value))
    else:
        spread = (set if issubclass(type(value), set) else frozenset).__iter__(value)
    return list(islice(spread, 0, step * most, step))


def inner_length(value: Any, kind: str) -> int:
    """How many elements the containers in a container have together, by a few of them; 0 when it holds no containers."""
    sample = elements(value, kind)
    lengths = [len_of(inner, found) for inner in sample if (found := container_kind(inner))]
    if not lengths or len(lengths) < len(sample):
        return 0
    return sum(lengths) * len_of(value, kind) // len(lengths)


def attributes_of(value: Any) -> Dict[str, Any]:
    """The attributes of an object, in its dictionary and in its slots; nothing of its class is called."""
    found: Dict[str, Any] = {}
    kind = type(value)
    try:
        names = object.__getattribute__(value, "__dict__")
        if type(names) is dict:
            found.update(names)
    except Exception:
        pass
    for base in type.mro(kind)[:-1]:
        for name, slot in type.__getattribute__(base, "__dict__").items():
            if type(slot) is SLOT and name not in found:
                try:
                    found[name] = slot.__get__(value, kind)
                except Exception:
                    continue  # it is empty, or not of this class
    return found


def weight(value: Any, depth: int = 0, seen: Optional[Set[int]] = None) -> int:
    """About how many bytes would be free if this were gone."""
    seen = set() if seen is None else seen
    own = native_bytes(value, seen)
    if own is not None:
        return own
    if id(value) in seen or issubclass(type(value), type):
        return 0
    seen.add(id(value))
    kind = container_kind(value)
    try:
        total = 64 + 8 * len_of(value, kind) if kind else int(PLAIN.__sizeof__(value))
    except Exception:
        total = 64
    if depth >= DEEPEST:
        return total
    if kind:
        return total + _contents(value, kind, depth, seen)
    names = attributes_of(value)
    if len(names) <= MOST_ATTRIBUTES:
        total += sum(weight(inner, depth + 1, seen) for inner in names.values())
    if issubclass(type(value), BaseException):
        total += sum(weight(inner, depth + 1, seen) for inner in kept_by_traceback(value))
    return total


def kept_by_traceback(error: Any) -> List[Any]:
    """What the functions had in their hands that an exception went through: it keeps their frames alive."""
    found: List[Any] = []
    step = BaseException.__dict__["__traceback__"].__get__(error)
    while step is not None and len(found) < MOST_ATTRIBUTES:
        frame = step.tb_frame
        shared = (id(frame.f_globals), id(frame.f_builtins))
        # As the collector reaches them: asking for ``f_locals`` would make a dictionary that stays.
        found += [
            inner
            for inner in gc.get_referents(frame)
            if id(inner) not in shared and (type(inner) in ATOMS or not is_code(inner))
        ]
        step = step.tb_next
    return found


def is_code(value: Any) -> bool:
    """Frames, code, modules and functions lead everywhere."""
    return text_of(type(value), "__name__") in ("frame", "code", "module", "function", "type")


def _contents(value: Any, kind: str, depth: int, seen: Set[int]) -> int:
    """The elements: the first brings what all of them share, the others tell what one more costs."""
    weights = [weight(inner, depth + 1, seen) for inner in elements(value, kind)]
    if len(weights) < 2:
        return sum(weights)
    return weights[0] + sum(weights[1:]) * (len_of(value, kind) - 1) // (len(weights) - 1)


def native_bytes(value: Any, seen: Optional[Set[int]] = None) -> Optional[int]:
    """Bytes behind an object that Python itself knows little of."""
    kind: Any = type(value)
    if kind in ATOMS:
        return int(kind.__sizeof__(value))
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    try:
        if module == "numpy" and name in ("ndarray", "memmap"):
            return _array_bytes(value, seen)
        if module.startswith("tensorflow.") and defines(kind, "_num_elements"):
            if seen is not None and id(value) in seen:
                return 0
            if seen is not None:
                seen.add(id(value))
            return int(value._num_elements()) * int(value.dtype.size) + 200
        if module.startswith("tensorflow.") and name == "ResourceVariable":
            return int(value.shape.num_elements()) * int(value.dtype.size) + 500
        if module.startswith("PIL.") and defines(kind, "size"):
            width, height = value._size
            return int(width) * int(height) * 4
    except Exception:
        return 100
    return None


def _array_bytes(value: Any, seen: Optional[Set[int]]) -> int:
    """An array's bytes; a view keeps the whole array alive that it looks into."""
    for _ in range(LONGEST_CHAIN_OF_VIEWS):
        base = value.base
        if base is None or text_of(type(base), "__name__") not in ("ndarray", "memmap"):
            break
        value = base
    if text_of(type(value), "__name__") == "memmap":
        return 100
    if seen is not None and id(value) in seen:
        return 100
    if seen is not None:
        seen.add(id(value))
    return int(value.nbytes) + 100


def class_name(value: Any) -> str:
    """The class of a value, as its code would write it."""
    kind = type(value)
    name = f"{text_of(kind, '__module__')}.{text_of(kind, '__qualname__')}"
    name = name.replace("builtins.", "").replace("__main__.", "")
    if name.startswith("tensorflow."):
        last = text_of(kind, "__name__").lstrip("_")
        return "tf.Tensor" if last == "EagerTensor" else f"tf {last}"
    return f"keras {name.rpartition('.')[2]}" if name.startswith("keras.") else name


def describe_element(value: Any, kind: str) -> str:
    """The type of what is held, with shape and dtype where there is one."""
    for inner in elements(value, kind)[:1]:
        name = class_name(inner)
        try:
            if name.startswith(("numpy.", "tf")) and native_bytes(inner) is not None:
                dtype = getattr(inner.dtype, "name", inner.dtype)
                return f"{name} of shape {tuple(inner.shape)} and type {dtype}"
        except Exception:
            pass
        return name
    return ""
