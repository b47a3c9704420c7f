"""What the variables of a kernel are, without touching what is the user's: by the exact types of NumPy, TensorFlow and Keras alone.

No ``__repr__``, no property and no ``__getattr__`` of anybody else is run: a value whose type is not one of these is only known to be there.
"""

from __future__ import annotations

import builtins
import opcode
import re
import sys
from collections.abc import Mapping
from keyword import iskeyword
from types import FunctionType, ModuleType
from typing import Any

from outlive.inside.notes.tf_private import takes_one_type, tensor_spec
from outlive.source.lint.before_cell import Live
from outlive.source.specs import WIDTHS

WORD = re.compile(r"[^\W\d]\w*")

#: Modules by which a cell calls what makes arrays.
MODULES = ("numpy", "tensorflow", "keras", "tf_keras", "math")

#: Longer texts and numbers say nothing of a shape.
LARGEST_NUMBER = 1 << 62
LONGEST_TUPLE = 16

#: The newest names of a notebook, among which a misspelled one is looked for.
MOST_OTHERS = 400

#: In bytecode: a function gives a name of the notebook another value.
STORES = opcode.opmap["STORE_GLOBAL"]


def live_values(namespace: Mapping[str, Any], cell: str, given: frozenset[str]) -> Live:
    """What a cell can know: the values that it names, and every name that is bound."""
    words = set(WORD.findall(cell))
    mentioned = {name: namespace[name] for name in words if name in namespace}
    known = _Known()
    changed = _rebound(mentioned, namespace)
    values, tensors = {}, {}
    for name, value in mentioned.items():
        text = known.text_of(value) if name not in changed else ""
        if text:
            values[name] = text
        if text and (kind := known.type_of(value)):
            tensors[name] = kind
    others = [name for name in namespace if type(name) is str and not name.startswith("_")]
    return Live(
        values,
        names=[name for name in mentioned if not iskeyword(name)],
        given=(words & given) | (words & vars(builtins).keys()),
        others=others[-MOST_OTHERS:],
        tensors=tensors,
    )


class _Known:
    """The values that are known, by their types."""

    def __init__(self) -> None:
        numpy = sys.modules.get("numpy")
        whole = [getattr(numpy, name) for name in ("int32", "int64") if hasattr(numpy, name)]
        self._array = getattr(numpy, "ndarray", None)
        self._whole = (int, *whole)

    def text_of(self, value: Any) -> str:
        """A value as Python text that makes one of the same shape and type; empty when it is not known."""
        kind = type(value)
        if value is None or kind is bool:
            return repr(value)
        if kind in self._whole:
            return str(int(value)) if abs(int(value)) < LARGEST_NUMBER else ""
        if kind is float:
            return repr(value) if abs(value) < LARGEST_NUMBER else ""
        if kind is tuple and len(value) <= LONGEST_TUPLE and all(type(it) is int for it in value):
            return repr(value)
        if kind is list and not value:
            return "[]"
        if kind is ModuleType:
            names = (name for name in MODULES if sys.modules.get(name) is value)
            return next((f"import {name}" for name in names), "")
        of_numpy = kind is self._array
        spec = (value.shape, value.dtype.name) if of_numpy else tensor_spec(value)
        if spec is None or spec[1] not in WIDTHS or None in spec[0]:
            return ""
        return f"{'_outlive_numpy' if of_numpy else '_outlive_tf'}.ones({tuple(spec[0])!r}, {spec[1]!r})"

    def type_of(self, value: Any) -> str:
        """The type of a tensor or variable of TensorFlow's, where it must be the other's too."""
        spec = tensor_spec(value) if takes_one_type(value) else None
        return spec[1] if spec is not None else ""


def _rebound(mentioned: Mapping[str, Any], namespace: Mapping[str, Any]) -> frozenset[str]:
    """The names that a function may bind anew, which the cell mentions, or one that it calls in turn."""
    waiting = [value for value in mentioned.values() if type(value) is FunctionType]
    seen: set[int] = set()
    found: set[str] = set()
    while waiting:
        code = waiting.pop().__code__
        if id(code) in seen:
            continue
        seen.add(id(code))
        if STORES in code.co_code[::2]:
            found |= set(code.co_names)
        called = (namespace.get(name) for name in code.co_names)
        waiting += [value for value in called if type(value) is FunctionType]
    return frozenset(found)
