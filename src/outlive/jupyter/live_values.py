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
    known = _Types()
    changed = _rebound(mentioned, namespace)
    values, tensors = {}, {}
    for name, value in mentioned.items():
        text = known.text_of(value) if name not in changed else ""
        if text:
            values[name] = text
        if text and (kind := known.tensor_type(value)):
            tensors[name] = kind
    others = [name for name in namespace if type(name) is str and not name.startswith("_")]
    return Live(
        values,
        names=[name for name in mentioned if not iskeyword(name)],
        given=(words & given) | (words & vars(builtins).keys()),
        others=others[-MOST_OTHERS:],
        tensors={} if known.converts else tensors,
    )


class _Types:
    """The types that are known, as far as their libraries are loaded; each is told from all others by identity."""

    def __init__(self) -> None:
        numpy = sys.modules.get("numpy")
        self._array = getattr(numpy, "ndarray", None)
        self._whole = tuple(
            getattr(numpy, name) for name in ("int32", "int64") if hasattr(numpy, name)
        )
        ops = sys.modules.get("tensorflow.python.framework.ops")
        self._tensor = getattr(ops, "EagerTensor", None)
        self._dtypes = sys.modules.get("tensorflow.python.framework.dtypes")
        variables = sys.modules.get("tensorflow.python.ops.resource_variable_ops")
        self._variable = getattr(variables, "ResourceVariable", None)
        keras = sys.modules.get("keras.src.backend.tensorflow.core")
        self._keras = getattr(keras, "Variable", None)
        asked = getattr(ops, "is_auto_dtype_conversion_enabled", None)
        styled = getattr(ops, "is_numpy_style_type_promotion", None)
        self.converts = any(it is not None and it() for it in (asked, styled))

    def text_of(self, value: Any) -> str:
        """A value as Python text that makes one of the same shape and type; empty when it is not known."""
        kind = type(value)
        if value is None or kind is bool:
            return repr(value)
        if kind is int or kind in self._whole:
            return str(int(value)) if -LARGEST_NUMBER < int(value) < LARGEST_NUMBER else ""
        if kind is float:
            return repr(value) if value == value and abs(value) < 1e300 else ""
        if kind is tuple and len(value) <= LONGEST_TUPLE and all(type(it) is int for it in value):
            return repr(value)
        if kind is list and not value:
            return "[]"
        if kind is ModuleType:
            names = (name for name in MODULES if sys.modules.get(name) is value)
            return next((f"import {name}" for name in names), "")
        found = self._spec(value, kind)
        if found is None or found[1] not in WIDTHS or None in found[0]:
            return ""
        maker = "_outlive_numpy" if kind is self._array else "_outlive_tf"
        return f"{maker}.ones({tuple(found[0])!r}, {found[1]!r})"

    def tensor_type(self, value: Any) -> str:
        """The type of the numbers in a tensor or variable of TensorFlow."""
        found = self._spec(value, type(value)) if type(value) in (self._tensor, self._variable) else None  # fmt: skip
        return found[1] if found else ""

    def _spec(self, value: Any, kind: type) -> tuple[tuple[int | None, ...], str] | None:
        if kind is self._array:
            return value.shape, value.dtype.name
        if kind is self._tensor:
            return value._shape_tuple(), self._dtypes.as_dtype(value._datatype_enum()).name  # type: ignore[union-attr]
        fields = vars(value) if kind in (self._variable, self._keras) and kind is not type(None) else {}  # fmt: skip
        shape, dtype = fields.get("_shape"), fields.get("_dtype")
        if shape is None or dtype is None:
            return None
        sides = shape if type(shape) is tuple else getattr(shape, "_dims", None)
        return (tuple(sides), getattr(dtype, "name", dtype)) if sides is not None else None


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
