"""About how many bytes an object keeps alive. Nothing of the program's is called: sizes come from the built-in types' own methods.

Contents are weighed by a few samples. What several samples share (the model that every History points to) is counted once.
"""

from __future__ import annotations

import gc
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight
from itertools import islice

from ..notes.tf_private import (
    COUNTS_ELEMENTS,
    KERAS,
    KERAS_LAYERS,
    KERAS_VARIABLES,
    WRAPPED_LIST,
    number_of_elements,
)
from .census import text_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Set

SAMPLED_ELEMENTS = 12
NEIGHBOURS = 3
#: How far a value is followed, in small steps: from an object of C to its hidden parts is one, to an attribute or an element are three.
DEEPEST = 15
STEP = 3
HIDDEN_STEP = 1
#: So many objects tell enough of one container.
MOST_WEIGHED = 4000
MOST_ATTRIBUTES = 64
LONGEST_CHAIN_OF_VIEWS = 4

PLAIN: Any = object  # its own __sizeof__: a class may have put anything in its place
DEQUE_BOUND: Any = vars(deque)["maxlen"]
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
#: What the collector notes before every object that holds others.
COLLECTED_BYTES = 16
#: References that ``weight``, its callers and one container have: more of them share a number or a text.
FEW_REFERENCES = 12
#: A text as large as this is counted once, wherever it is met.
LARGE_ATOM_BYTES = 4096
FUNCTION: Any = type(lambda: None)
METHOD_OF_C: Any = type(bytes.__sizeof__)
PROPERTY_OF_C: Any = type(type(len).__dict__["__self__"])


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


def most_in_deque(value: Any) -> Optional[int]:
    """How many elements a deque may have; None where it may have any number."""
    most: Optional[int] = DEQUE_BOUND.__get__(value)
    return most


def len_of(value: Any, kind: str) -> int:
    """The length by the built-in type's own method: a subclass may have put anything in its place."""
    owner: Any = {"dict": dict, "list": list, "deque": deque, "tuple": tuple}.get(kind)
    if owner is None:
        owner = set if issubclass(type(value), set) else frozenset
    return int(owner.__len__(value))


def elements(value: Any, kind: str, most: int = SAMPLED_ELEMENTS) -> List[Any]:
    """A few elements, spread evenly, the last among them: it is the newest. Never a copy of all: memory may be short.

    Neighbours are taken together, since they may share what they hold: three functions of one generator, the tuples of one batch.
    """
    length = len_of(value, kind)
    groups = max(1, most // NEIGHBOURS)
    step = max(NEIGHBOURS, length // groups)
    owner: Any = {"list": list, "tuple": tuple, "deque": deque}.get(kind)
    if owner is not None:
        starts = range(length - 1, -1, -step)[:groups]
        places = [at for start in starts for at in range(start, start - NEIGHBOURS, -1) if at >= 0]
        return [owner.__getitem__(value, place) for place in places[:most]]
    spread: Any
    if kind == "dict":
        spread = reversed(dict.values(value))
    else:
        spread = (set if issubclass(type(value), set) else frozenset).__iter__(value)
    return _in_groups(spread, groups, step)[:most]


def _in_groups(spread: Iterator[Any], groups: int, step: int) -> List[Any]:
    """So many groups of neighbours, each a step behind the one before."""
    found: List[Any] = []
    for _ in range(groups):
        found += islice(spread, NEIGHBOURS)
        next(islice(spread, step - NEIGHBOURS, step - NEIGHBOURS), None)  # passes them over
    return found


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


def weight(value: Any, depth: int = 0, seen: Optional[Set[int]] = None, step: int = STEP) -> int:
    """About how many bytes would be free if this were gone."""
    seen = set() if seen is None else seen
    own = native_bytes(value, seen)
    if own is not None and type(value) not in ATOMS:
        return own
    if own is None and is_of_keras(value):
        return _keras_bytes(value, seen)
    if own is not None:
        if own >= LARGE_ATOM_BYTES:
            known = id(value) in seen
            seen.add(id(value))
            return 0 if known else own
        return own // _sharers(value)
    if id(value) in seen or issubclass(type(value), type):
        return 0
    seen.add(id(value))
    if is_code(value):
        kept = taken_along(value) if depth < DEEPEST else ()
        return sum(weight(inner, depth + HIDDEN_STEP, seen) for inner in kept)
    kind = container_kind(value)
    total = shallow_bytes(value)
    if depth >= DEEPEST or len(seen) > MOST_WEIGHED:
        return total
    if kind:
        return total + _contents(value, kind, depth + step, seen)
    names = attributes_of(value)
    if len(names) <= MOST_ATTRIBUTES:
        total += sum(weight(inner, depth + STEP, seen) for inner in names.values())
    if issubclass(type(value), BaseException):
        total += sum(weight(inner, depth + STEP, seen) for inner in kept_by_traceback(value))
    return total + sum(
        weight(inner, depth + HIDDEN_STEP, seen, HIDDEN_STEP) for inner in hidden_parts(value)
    )


def is_of_keras(value: Any) -> bool:
    """Whether a value is a layer, a model or an optimizer of Keras: what they own is in their lists of variables, everything else is bookkeeping."""
    for base in type.mro(type(value)):
        if text_of(base, "__module__").startswith(KERAS) and defines(base, "variables"):
            return not defines(type(value), "numpy")  # a variable is weighed as what it is
    return False


def _keras_bytes(value: Any, seen: Set[int]) -> int:
    """The variables of a layer, a model or an optimizer, and of the layers in it; nothing of it is called."""
    left, total = [value], 0
    while left and len(seen) < MOST_WEIGHED:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        names = attributes_of(one)
        for name in KERAS_VARIABLES:
            total += sum(weight(inner, STEP, seen) for inner in _listed(names.get(name)))
        for name in KERAS_LAYERS:
            held = names.get(name)
            left += _listed(held) or ([held] if held is not None else [])
        total += shallow_bytes(one)
    return total


def _listed(value: Any) -> List[Any]:
    """The elements of a list, also of one that TensorFlow has wrapped: it keeps them beside itself."""
    kind = container_kind(value)
    if kind != "list":
        return []
    stored = attributes_of(value).get(WRAPPED_LIST)
    return every_element(stored if type(stored) is list else value, kind)


def shallow_bytes(value: Any) -> int:
    """The bytes of an object without what it refers to, as a method written in C tells them: nothing of the program's is called."""
    for base in type.mro(type(value)):
        method = type.__getattribute__(base, "__dict__").get("__sizeof__")
        if type(method) is METHOD_OF_C:
            try:
                return int(method(value)) + COLLECTED_BYTES
            except Exception:
                break
    return 64


def _sharers(value: Any) -> int:
    """By how many containers a number or a text is shared, about: the number of a batch is in each of its tuples."""
    references = sys.getrefcount(value)
    return references if references > FEW_REFERENCES else 1


def hidden_parts(value: Any) -> List[Any]:
    """What an object refers to beside its attributes, as the collector reaches it: the blocks of a DataFrame, which C keeps."""
    return [inner for inner in gc.get_referents(value)[:MOST_ATTRIBUTES] if not is_code(inner)]


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


def taken_along(value: Any) -> List[Any]:
    """What a function keeps: the values of names around it, and those of its defaults."""
    if type(value) is not FUNCTION:
        return []
    found = list(value.__defaults__ or ())
    for cell in value.__closure__ or ():
        found += gc.get_referents(cell)
    return found


def is_code(value: Any) -> bool:
    """Frames, code, modules and functions lead everywhere."""
    return text_of(type(value), "__name__") in ("frame", "code", "module", "function", "type")


def _contents(value: Any, kind: str, depth: int, seen: Set[int]) -> int:
    """The elements: the first ones bring what all of them share, the others tell what one more costs."""
    weights = [weight(inner, depth, seen) for inner in elements(value, kind)]
    if kind == "dict":
        keys = list(islice(reversed(value), SAMPLED_ELEMENTS)) if type(value) is dict else []
        weights = [one + weight(key, depth, seen) for one, key in zip(weights, keys)] or weights
    shared = min(NEIGHBOURS, len(weights) // 2)  # so many bring what all share
    if not shared:
        return sum(weights)
    others = weights[shared:]
    return sum(weights[:shared]) + sum(others) * (len_of(value, kind) - shared) // len(others)


def native_bytes(value: Any, seen: Optional[Set[int]] = None) -> Optional[int]:
    """Bytes behind an object that Python itself knows little of."""
    kind: Any = type(value)
    if kind in ATOMS:
        return int(kind.__sizeof__(value))
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    try:
        if module == "numpy" and name in ("ndarray", "memmap"):
            return _array_bytes(value, seen)
        if module.startswith("tensorflow.") and defines(kind, COUNTS_ELEMENTS):
            if seen is not None and id(value) in seen:
                return 0
            if seen is not None:
                seen.add(id(value))
            return number_of_elements(value) * int(value.dtype.size) + 200
        if module.startswith("tensorflow.") and is_variable(kind):
            return int(value.shape.num_elements()) * int(value.dtype.size) + 500
        if module.startswith("PIL.") and defines(kind, "size"):
            width, height = value._size
            return int(width) * int(height) * 4
        return _told_bytes(kind, value, module, seen)
    except Exception:
        return 100


def is_variable(kind: type) -> bool:
    """Whether a class is TensorFlow's variable: one that is made inside a `tf.function`, as an optimizer's are, is of a class of its own."""
    return any(text_of(base, "__name__") == "BaseResourceVariable" for base in type.mro(kind))


def _told_bytes(kind: type, value: Any, module: str, seen: Optional[Set[int]]) -> Optional[int]:
    """What a class of another library, written in C, says of its own data: Arrow's columns, tensors of other frameworks."""
    if module == "builtins":
        return None
    for base in type.mro(kind):
        told = type.__getattribute__(base, "__dict__").get("nbytes")
        if told is not None and type(told) is not PROPERTY_OF_C:
            return None  # it may be anybody's code
        if told is not None:
            known = seen is not None and id(value) in seen
            if seen is not None:
                seen.add(id(value))
            return 100 if known else int(told.__get__(value)) + 100
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
    return next((describe(inner) for inner in elements(value, kind)[:1]), "")


def describe_inner(value: Any, kind: str) -> str:
    """The type of what lies in the containers that are held: of the values of a dictionary of lists."""
    for inner in elements(value, kind)[:1]:
        found = container_kind(inner)
        return describe_element(inner, found) if found else ""
    return ""


def holds_errors(value: Any, kind: str) -> bool:
    """Whether exceptions are held: each keeps its traceback, and with it what the functions had in hand."""
    return any(issubclass(type(inner), BaseException) for inner in elements(value, kind)[:1])


def describe(value: Any) -> str:
    """The type of a value, with shape and dtype where there is one."""
    name = class_name(value)
    try:
        if name.startswith(("numpy.", "tf")) and native_bytes(value) is not None:
            dtype = getattr(value.dtype, "name", value.dtype)
            return f"{name} of shape {tuple(value.shape)} and type {dtype}"
    except Exception:
        pass
    return name


def whole_kind(value: Any) -> str:
    """What a value is called that is one piece of data and may be replaced by a longer one; nothing for all others.

    A ``bytearray`` is a buffer that grows where it is: a working set, which need not be more than the program needs.
    """
    kind = type(value)
    if kind in (bytes, str):
        return kind.__name__
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    if module == "numpy" and name == "ndarray":
        return "array"
    if module.startswith("tensorflow.") and defines(kind, COUNTS_ELEMENTS):
        return "tensor"
    if module == "_io" and name in ("BytesIO", "StringIO"):
        return name
    return name if module.startswith("pandas") and name in ("DataFrame", "Series") else ""
