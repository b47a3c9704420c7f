"""What a name can stand for while a program is followed: constants, arrays, tensors, layers, pipelines; and what is not known."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from outlive.model.quick_dataclass import dataclass

Shape = tuple[int | None, ...]


class Unknown:
    """Whatever the text does not tell."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Const:
    """A number, a text, True, None, `...`."""

    value: Any


NONE = Const(None)


@dataclass(frozen=True, slots=True)
class Api:
    """A module, a class or a function of a library, by its real dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor or a NumPy array by its shape and type."""

    shape: Shape | None  #: None: the rank is not known
    dtype: str = ""  #: empty: not known
    key: str = ""  #: the question that it answers; empty: a shape and a type say all of it
    kind: str = "tensor"  #: tensor, array (NumPy), keras (a KerasTensor), placeholder
    traced: bool = False  #: a size of None is what TensorFlow itself knows, not what we do not know
    below: int | None = None  #: its whole numbers are drawn from 0 up to this one

    @property
    def is_whole(self) -> bool:
        """Whether shape and type are known as far as TensorFlow knows them at that moment."""
        if not self.dtype:
            return False
        return self.traced or (self.shape is not None and None not in self.shape)


@dataclass(frozen=True, slots=True)
class Ref:
    """The result of a question, whatever it is."""

    key: str


@dataclasses.dataclass(slots=True, eq=False)
class Group:
    """A list, a tuple or a set whose elements are known."""

    kind: str
    items: list[Any]
    branch: int = 0  #: how deep in conditions of unknown outcome it was made
    lost: bool = False  #: something unknown may have changed it


@dataclass(frozen=True, slots=True)
class Many:
    """A list of which one element stands for all."""

    element: Any
    count: int | None = None


@dataclasses.dataclass(slots=True, eq=False)
class Table:
    """A dict whose keys are known."""

    items: dict[Any, Any]
    branch: int = 0
    lost: bool = False


@dataclasses.dataclass(slots=True, eq=False)
class Made:
    """An object that a library made: a layer, a model, a loss, a session; by what it was made of."""

    name: str  #: the canonical name of what made it
    key: str = ""  #: its question; empty: TensorFlow cannot be asked about it
    layers: list[Any] | None = None  #: of a `Sequential`
    attributes: dict[str, Any] = field(default_factory=dict)
    node: ast.AST | None = None
    branch: int = 0
    lost: bool = False


@dataclasses.dataclass(slots=True, eq=False)
class Function:
    """A function of the program, with the names that it sees."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Any
    owner: Any = None  #: the object whose method it is
    plain: bool = True  #: no decorator that may make something else of it
    traced: bool = False  #: `tf.function`


@dataclasses.dataclass(slots=True, eq=False)
class Class:
    """A class of the program."""

    node: ast.ClassDef
    frame: Any
    bases: tuple[Any, ...]
    names: dict[str, Any]

    def every(self) -> Iterator[Class]:
        """The class and those of the program that it is made of, the nearest first."""
        yield self
        for base in self.bases:
            if isinstance(base, Class):
                yield from base.every()

    def library(self) -> Iterator[str]:
        """The names of the libraries' classes that it is made of."""
        for one in self.every():
            for base in one.bases:
                if isinstance(base, Api):
                    yield base.name
                elif not isinstance(base, Class):
                    yield ""


@dataclasses.dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the program."""

    of: Class
    attributes: dict[str, Any] = field(default_factory=dict)
    branch: int = 0
    lost: bool = False
    built: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """A method of an object, not yet called."""

    owner: Any
    word: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A pipeline of tf.data by what one element of it is."""

    element: Any = UNKNOWN


def joined(one: Any, other: Any) -> Any:
    """What is known when it may be either of two."""
    if one is other or (
        type(one) is type(other) and isinstance(one, Const | Api) and _same(one, other)
    ):
        return one
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one if one == other else UNKNOWN
    if isinstance(one, Group) and isinstance(other, Group):
        pairs = len(one.items) == len(other.items) and one.kind == other.kind == "tuple"
        parts = zip(one.items, other.items, strict=True) if pairs else ()
        return Group("tuple", [joined(a, b) for a, b in parts]) if pairs else UNKNOWN
    return UNKNOWN


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Const) and type(one.value) is not type(other.value):
        return False
    return bool(one == other)


def lose(thing: Any, depth: int = 6) -> None:
    """Forget what is in an object that somebody unknown may have changed."""
    if isinstance(thing, Method):
        lose(thing.owner, depth)
    if not isinstance(thing, Group | Table | Made | Instance) or thing.lost or not depth:
        return
    if isinstance(thing, Group):
        for item in thing.items:
            lose(item, depth - 1)
        if thing.kind == "tuple":
            return  # nobody changes a tuple, only what is in it
    if isinstance(thing, Table):
        for item in thing.items.values():
            lose(item, depth - 1)
    thing.lost = not (isinstance(thing, Made) and thing.layers is None)  # a layer stays what it is


def plain(thing: Any) -> Any:
    """The Python value of a constant or of a list of constants; raises `LookupError` for what is not known."""
    if isinstance(thing, Const):
        return thing.value
    if isinstance(thing, Group) and not thing.lost:
        items = [plain(item) for item in thing.items]
        return tuple(items) if thing.kind == "tuple" else items
    raise LookupError


def whole(thing: Any) -> int | None:
    """The whole number that something is, if it is one."""
    value = thing.value if isinstance(thing, Const) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def shape_of(thing: Any) -> Shape | None:
    """The shape that a list, a tuple or a number of the program says; None when a part of it is not known."""
    if isinstance(thing, Const):
        number = whole(thing)
        return (number,) if number is not None else None
    if not isinstance(thing, Group) or thing.lost:
        return None
    known = all(item == NONE or whole(item) is not None for item in thing.items)
    return tuple(whole(item) for item in thing.items) if known else None
