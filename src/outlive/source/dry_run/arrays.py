"""NumPy's arrays by shape and type: what its functions, operators and methods make of them."""

from __future__ import annotations

import ast
import math
from typing import Any

from outlive.source.dry_run.call import Call
from outlive.source.dry_run.dtypes import dtype_of
from outlive.source.dry_run.run import Run
from outlive.source.dry_run.things import (
    UNKNOWN,
    Api,
    Const,
    Group,
    Many,
    Shape,
    Tensor,
    shape_of,
    whole,
)
from outlive.source.specs import divided, product_misfit, promoted, stretch_misfit

#: Makers of a shape: the place of the shape, that of the type, and the type where none is given.
SHAPED = {
    "zeros": (0, 1, "float64"), "ones": (0, 1, "float64"), "empty": (0, 1, "float64"), "full": (0, 2, "float64"),
    "random.random": (0, None, "float64"), "random.random_sample": (0, None, "float64"), "random.standard_normal": (0, None, "float64"),
    "random.normal": (2, None, "float64"), "random.uniform": (2, None, "float64"), "random.randint": (2, 3, "int64"),
}  # fmt: skip
SIDES = {"random.rand": "float64", "random.randn": "float64"}
SAME = frozenset(
    {
        "copy",
        "abs",
        "square",
        "sort",
        "ascontiguousarray",
        "clip",
        "round",
        "flip",
        "fliplr",
        "flipud",
    }
)
FLOATING = frozenset({"exp", "log", "sqrt", "sin", "cos", "tanh"})
METHODS_SAME = frozenset({"copy", "clip", "round", "cumsum", "conj"})
REDUCING = frozenset(
    {
        "sum",
        "mean",
        "max",
        "min",
        "std",
        "var",
        "prod",
        "argmax",
        "argmin",
        "amax",
        "amin",
        "any",
        "all",
    }
)


def operated(run: Run, node: ast.AST, name: str, left: Any, right: Any) -> Any:
    """What an operator makes of two things of which one is an array."""
    one, other = literal(left), literal(right)
    if one is None or other is None or one.shape is None or other.shape is None:
        return UNKNOWN
    if name == "matmul":
        why = product_misfit(one.shape, other.shape)
        if why:
            return refused(run, node, one, other, why)
        plain = len(one.shape) >= 2 and len(other.shape) == 2
        return (
            Tensor(
                (*one.shape[:-1], other.shape[-1]), promoted(one.dtype, other.dtype), "", "array"
            )
            if plain
            else UNKNOWN
        )
    why = stretch_misfit(one.shape, other.shape)
    if why:
        return UNKNOWN if name in ("eq", "ne") else refused(run, node, one, other, why)
    shape = stretched(one.shape, other.shape)
    if name in ("lt", "le", "gt", "ge", "eq", "ne"):
        return Tensor(shape, "bool", "", "array")
    dtype = _type_of(left, right, one, other)
    below = one.below if name == "mod" else None
    return Tensor(
        shape, divided(dtype) if name in ("truediv", "pow") else dtype, "", "array", False, below
    )


def _type_of(left: Any, right: Any, one: Tensor, other: Tensor) -> str:
    for thing, array in ((left, other), (right, one)):
        if isinstance(thing, Const):  # a number of Python's takes the array's type where it can
            floats = isinstance(thing.value, float) and not array.dtype.startswith("float")
            return divided(array.dtype) if floats else array.dtype
    return promoted(one.dtype, other.dtype)


def refused(run: Run, node: ast.AST, one: Tensor, other: Tensor, why: str) -> Any:
    """Note that NumPy cannot take two arrays together."""
    if one.is_whole and other.is_whole:
        run.trouble(
            node,
            "shape",
            f"operands of the shapes {_words(one)} and {_words(other)}: {why}",
            "NumPy",
        )
    return UNKNOWN


def _words(array: Tensor) -> str:
    return str(list(array.shape or ()))


def stretched(one: Shape, other: Shape) -> Shape | None:
    """The shape of two that are stretched to each other; None when they do not fit."""
    if stretch_misfit(one, other):
        return None
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    filled = (*(1,) * (len(longer) - len(shorter)), *shorter)
    return tuple(
        b if a == 1 else a if b == 1 else (a if b is None else b)
        for a, b in zip(longer, filled, strict=True)
    )


def literal(thing: Any) -> Tensor | None:
    """A number, a nested list of numbers or of arrays, as NumPy would take it; a type that is not plain is empty."""
    if isinstance(thing, Tensor):
        return thing if thing.kind in ("array", "tensor") else None
    if isinstance(thing, Const):
        value = thing.value
        if isinstance(value, bool):
            return Tensor((), "bool", "", "array")
        if isinstance(value, int):
            return Tensor((), "int64", "", "array", False, value + 1 if value >= 0 else None)
        return Tensor((), "float64", "", "array") if isinstance(value, float) else None
    if isinstance(thing, Many):
        inner = literal(thing.element)
        return (
            None
            if inner is None or inner.shape is None
            else Tensor((thing.count, *inner.shape), inner.dtype, "", "array")
        )
    if not isinstance(thing, Group) or thing.lost or not thing.items or thing.kind == "set":
        return None
    parts = [literal(it) for it in thing.items]
    known = [it for it in parts if it is not None]
    if len(known) != len(parts) or len({it.shape for it in known}) != 1 or known[0].shape is None:
        return None
    types = {it.dtype for it in known}
    dtype = types.pop() if len(types) == 1 else "float64" if types <= {"int64", "float64"} else ""
    bounds = [it.below for it in known]
    below = None if None in bounds else max(it for it in bounds if it is not None)
    return Tensor((len(known), *known[0].shape), dtype, "", "array", False, below)


def indexed(owner: Tensor, at: Any) -> Any:
    """A part of an array: `x[:, None]`, `x[0]`, `x[:10]`, `x[..., 0]`."""
    parts = list(at.items) if isinstance(at, Group) and at.kind == "tuple" and not at.lost else [at]
    if owner.shape is None:
        return UNKNOWN
    real = [it for it in parts if not _is_new(it) and it != Const(...)]
    if len(real) > len(owner.shape):
        return UNKNOWN
    shape: list[int | None] = []
    rest = list(owner.shape)
    for part in parts:
        if _is_new(part):
            shape.append(1)
        elif part == Const(...):
            left = len(real) - sum(1 for it in parts[: parts.index(part)] if not _is_new(it))
            count = len(rest) - left
            shape += rest[:count]
            rest = rest[count:]
        elif isinstance(part, Const) and isinstance(part.value, slice):
            shape.append(_sliced(rest.pop(0), part.value))
        elif whole(part) is not None:
            rest.pop(0)
        else:
            return UNKNOWN
    return Tensor((*shape, *rest), owner.dtype, "", "array", False, owner.below)


def _is_new(part: Any) -> bool:
    return part == Const(None) or (isinstance(part, Api) and part.name.endswith(".newaxis"))


def _sliced(side: int | None, part: slice) -> int | None:
    if part == slice(None):
        return side
    return None if side is None or side > 1 << 62 else len(range(*part.indices(side)))


def method(run: Run, call: Call, owner: Tensor, word: str) -> Any:
    """A method of an array."""
    if call.open or "out" in call.words:
        return UNKNOWN
    if word == "astype":
        return _typed(owner, call.get(0, "dtype"))
    if word == "reshape":
        return reshaped(
            run,
            call.node,
            owner,
            call.args[0] if len(call.args) == 1 else Group("tuple", call.args),
        )
    if word in ("flatten", "ravel"):
        return reshaped(run, call.node, owner, Const(-1))
    if word in METHODS_SAME:
        return owner
    if word == "transpose" and owner.shape is not None:
        return _turned(
            owner,
            call.args[0]
            if len(call.args) == 1
            else Group("tuple", call.args)
            if call.args
            else None,
        )
    if word == "numpy":
        return owner
    return _reduced(call, owner, word, 0) if word in REDUCING else UNKNOWN


def _typed(owner: Tensor, dtype: Any) -> Any:
    name = dtype_of(dtype, numpy=True)
    return Tensor(owner.shape, name, "", "array", False, owner.below) if name else UNKNOWN


def reshaped(run: Run, node: ast.AST, owner: Tensor, told: Any) -> Any:
    """The same numbers in another shape."""
    shape = shape_of(told)
    if shape is None or None in shape or owner.shape is None or None in owner.shape:
        return UNKNOWN
    numbers = math.prod(it for it in owner.shape if it is not None)
    known = math.prod(it for it in shape if it is not None and it != -1)
    holes = shape.count(-1)
    if holes > 1 or (holes and (not known or numbers % known)) or (not holes and known != numbers):
        if owner.dtype:
            run.trouble(
                node,
                "shape",
                f"cannot reshape an array of the shape {_words(owner)} ({numbers} numbers) into {list(shape)}",
                "NumPy",
            )
        return UNKNOWN
    return Tensor(
        tuple(numbers // known if it == -1 else it for it in shape),
        owner.dtype,
        "",
        "array",
        False,
        owner.below,
    )


def _turned(owner: Tensor, axes: Any) -> Any:
    if owner.shape is None:
        return UNKNOWN
    if axes is None:
        return Tensor(owner.shape[::-1], owner.dtype, "", "array", False, owner.below)
    order = shape_of(axes)
    if order is None or sorted(it if it is not None else -1 for it in order) != list(
        range(len(owner.shape))
    ):
        return UNKNOWN
    return Tensor(
        tuple(owner.shape[it] for it in order if it is not None),
        owner.dtype,
        "",
        "array",
        False,
        owner.below,
    )


def _reduced(call: Call, owner: Tensor, word: str, place: int) -> Any:
    axis, keep = call.get(place, "axis"), call.get(None, "keepdims")
    if owner.shape is None or keep is not None or set(call.words) - {"axis"}:
        return UNKNOWN
    dtype = "int64" if word.startswith("arg") else "bool" if word in ("any", "all") else owner.dtype
    if word in ("mean", "std", "var"):
        dtype = divided(dtype)
    if word in ("sum", "prod") and not dtype.startswith("float"):
        dtype = "int64" if dtype.startswith("int") else ""
    if axis is None:
        return Tensor((), dtype, "", "array")
    number = whole(axis)
    if number is None or not -len(owner.shape) <= number < len(owner.shape):
        return UNKNOWN
    shape = list(owner.shape)
    del shape[number]
    below = owner.shape[number] if word in ("argmax", "argmin") else None
    return Tensor(tuple(shape), dtype, "", "array", False, below)


def function(run: Run, call: Call, name: str) -> Any:
    """What a function of NumPy gives; UNKNOWN for the many that are not known here."""
    word = name.removeprefix("numpy.")
    if call.open or "out" in call.words:
        return UNKNOWN
    if word in SHAPED or word in SIDES:
        return _shaped(call, word)
    first = call.get(0, "a", "x", "arr", "object", "m", "array")
    array = literal(first) if first is not None else None
    if (
        word in ("array", "asarray", "asanyarray")
        and set(call.words) <= {"dtype", "a", "object", "copy"}
        and array is not None
    ):
        dtype = call.get(1, "dtype")
        return (
            _typed(array, dtype)
            if dtype is not None
            else Tensor(array.shape, array.dtype, "", "array", False, array.below)
        )
    if word in ("zeros_like", "ones_like", "empty_like") and array is not None:
        dtype = call.get(1, "dtype")
        found = Tensor(array.shape, array.dtype, "", "array")
        return _typed(found, dtype) if dtype is not None else found
    if (
        word == "arange"
        and len(call.args) == 1
        and whole(call.args[0]) is not None
        and not call.words
    ):
        return Tensor((whole(call.args[0]),), "int64", "", "array", False, whole(call.args[0]))
    if word == "linspace":
        count = (
            whole(call.get(2, "num"))
            if call.given(2, "num")
            else 50
            if len(call.args) == 2
            else None
        )
        return (
            Tensor((count,), "float64", "", "array")
            if count is not None and not set(call.words) - {"num", "start", "stop"}
            else UNKNOWN
        )
    if word in ("concatenate", "vstack", "hstack", "stack"):
        return _joined(run, call, word)
    if array is None:
        return UNKNOWN
    if word in SAME:
        return Tensor(array.shape, array.dtype, "", "array", False, array.below)
    if word in FLOATING:
        return Tensor(array.shape, divided(array.dtype), "", "array")
    if word == "reshape":
        return reshaped(run, call.node, array, call.get(1, "newshape", "shape"))
    if word == "expand_dims" and array.shape is not None:
        return _expanded(array, whole(call.get(1, "axis")) if call.given(1, "axis") else None)
    if word == "transpose":
        return _turned(array, call.get(1, "axes"))
    if word in ("dot", "matmul") and len(call.args) == 2:
        return operated(run, call.node, "matmul", array, call.args[1])
    if word in ("add", "subtract", "multiply", "divide") and len(call.args) == 2:
        return operated(
            run,
            call.node,
            {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv"}[word],
            array,
            call.args[1],
        )
    return _reduced(call, array, word, 1) if word in REDUCING else UNKNOWN


def _shaped(call: Call, word: str) -> Any:
    if word in SIDES:
        sides = [whole(it) for it in call.args]
        known = bool(sides) and None not in sides and not call.words
        return Tensor(tuple(sides), SIDES[word], "", "array") if known else UNKNOWN
    place, kind, usual = SHAPED[word]
    told = call.get(place, "shape", "size")
    shape = shape_of(told) if told is not None else ()
    dtype = dtype_of(call.get(kind, "dtype"), usual, numpy=True)
    if (
        shape is None
        or None in shape
        or not dtype
        or any(it is not None and it < 0 for it in shape)
    ):
        return UNKNOWN
    below = None
    if word == "random.randint":
        high = call.get(1, "high")
        below = whole(high if high is not None and high != Const(None) else call.get(0, "low"))
    return Tensor(shape, dtype, "", "array", False, below)


def _expanded(array: Tensor, axis: int | None) -> Any:
    if axis is None or array.shape is None:
        return UNKNOWN
    at = axis if axis >= 0 else len(array.shape) + 1 + axis
    if not 0 <= at <= len(array.shape):
        return UNKNOWN
    return Tensor(
        (*array.shape[:at], 1, *array.shape[at:]), array.dtype, "", "array", False, array.below
    )


def _joined(run: Run, call: Call, word: str) -> Any:
    listed = call.args[0] if call.args else None
    if not isinstance(listed, Group) or listed.lost or set(call.words) - {"axis"}:
        return UNKNOWN
    parts = [it for it in listed.items if isinstance(it, Tensor) and it.is_whole and it.shape]
    if len(parts) != len(listed.items) or not parts:
        return UNKNOWN
    axis = 0 if word == "vstack" else whole(call.get(1, "axis")) if call.given(1, "axis") else 0
    shapes = [it.shape for it in parts if it.shape is not None]
    if (
        axis is None
        or word == "hstack"
        or len({len(it) for it in shapes}) != 1
        or (word == "vstack" and len(shapes[0]) < 2)
    ):
        return UNKNOWN
    dtype = parts[0].dtype
    for part in parts[1:]:
        dtype = promoted(dtype, part.dtype)
    if word == "stack":
        if len(set(shapes)) != 1:
            return refused(
                run,
                call.node,
                parts[0],
                next(it for it in parts if it.shape != shapes[0]),
                "stack needs equal shapes",
            )
        return _expanded_by(shapes[0], axis, len(shapes), dtype)
    if not -len(shapes[0]) <= axis < len(shapes[0]):
        return UNKNOWN
    at = axis % len(shapes[0])
    others = {it[:at] + it[at + 1 :] for it in shapes}
    if len(others) != 1:
        return refused(
            run,
            call.node,
            parts[0],
            next(
                it
                for it, shape in zip(parts, shapes, strict=True)
                if shape[:at] + shape[at + 1 :] != shapes[0][:at] + shapes[0][at + 1 :]
            ),
            f"all but axis {at} must be equal",
        )
    length = sum(it[at] or 0 for it in shapes)
    return Tensor((*shapes[0][:at], length, *shapes[0][at + 1 :]), dtype, "", "array")


def _expanded_by(shape: Shape, axis: int, count: int, dtype: str) -> Any:
    at = axis if axis >= 0 else len(shape) + 1 + axis
    return (
        Tensor((*shape[:at], count, *shape[at:]), dtype, "", "array")
        if 0 <= at <= len(shape)
        else UNKNOWN
    )


def one_hot(call: Call) -> Any:
    """`to_categorical`: a row for each number."""
    given = call.get(0, "x", "y")
    numbers = literal(given) if given is not None else None
    count = whole(call.get(1, "num_classes")) if call.given(1, "num_classes") else None
    if numbers is None or numbers.shape is None:
        return UNKNOWN
    if count is None:
        return UNKNOWN
    shape = (
        numbers.shape[:-1] if len(numbers.shape) > 1 and numbers.shape[-1] == 1 else numbers.shape
    )
    return Tensor((*shape, count), "float64", "", "array")
