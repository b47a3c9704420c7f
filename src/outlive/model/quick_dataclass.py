"""Frozen dataclasses with slots, made in a quarter of the time: a verdict needs a hundred of them before its first question.

``dataclasses`` writes six methods for each class and compiles each by itself: 0.65 ms a class on Python 3.11, a third of what it costs to load everything
that judges a death. Here only ``__init__`` is written; the other methods are the same functions for all classes. For a type checker, and for ``fields``,
``replace`` and ``asdict``, there is no difference.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False):
        """Make a dataclass; a frozen one with slots is made quickly."""

        def make(cls):
            if frozen and slots and "__post_init__" not in cls.__dict__:
                return _made(cls)
            return dataclasses.dataclass(frozen=frozen, slots=slots)(cls)

        return make if cls is None else make(cls)


__all__ = ["dataclass"]


def _made(cls: type) -> Any:
    """Give a class its slots, its ``__init__``, and what all such classes share."""
    own = frozenset(cls.__dict__)
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    if "__init__" not in own:
        made.__init__ = _init(made)
    for name, function in SHARED.items():
        if name not in own or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(made, name, function)
    return made


def _init(cls: type) -> Any:
    """Write ``__init__`` as text, so that a call with wrong arguments fails as everywhere, and compile it."""
    scope: dict[str, Any] = {"SET": object.__setattr__, "MISSING": MISSING}
    arguments, body = ["self"], []
    for field in fields(cls):
        value = field.name
        if field.default_factory is not MISSING:
            scope[f"MAKE_{field.name}"] = field.default_factory
            value = f"MAKE_{field.name}() if {field.name} is MISSING else {field.name}"
            arguments.append(f"{field.name}=MISSING")
        elif field.default is not MISSING:
            scope[f"DEFAULT_{field.name}"] = field.default
            arguments.append(f"{field.name}=DEFAULT_{field.name}")
        else:
            arguments.append(field.name)
        body.append(f" SET(self, {field.name!r}, {value})")
    exec(f"def __init__({', '.join(arguments)}):\n" + ("\n".join(body) or " pass"), scope)
    function = scope["__init__"]
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    function.__module__ = cls.__module__
    return function


def _compared(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in fields(value) if field.compare)


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _setattr(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


SHARED = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
