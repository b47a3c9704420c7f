"""Tensors: operators, indices, attributes, and the functions of `tf`."""

from __future__ import annotations

import ast
from typing import Any

from outlive.source.dry_run import arrays
from outlive.source.dry_run.allowed import WITHOUT_EFFECT, is_allowed, is_harmless_word
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.dtypes import dtype_of
from outlive.source.dry_run.run import Run
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Const,
    Group,
    Many,
    Method,
    Shape,
    Tensor,
    Unknown,
    shape_of,
)
from outlive.source.names import canonical

#: A text that is not known.
TEXT = Tensor((), "string", "", "text")

#: Bytes, as a file gives them.
BYTES = Tensor((), "string", "", "tensor", True)

#: Functions whose result has a shape that is given: the place of the shape, of the type, and the usual type.
SHAPED = {
    "tf.zeros": (0, 1, "float32"), "tf.ones": (0, 1, "float32"), "tf.random.normal": (0, 3, "float32"),
    "tf.random.uniform": (0, 3, "float32"), "tf.random.truncated_normal": (0, 3, "float32"), "tf.random_normal": (0, 3, "float32"),
    "tf.random_uniform": (0, 3, "float32"), "tf.truncated_normal": (0, 3, "float32"),
}  # fmt: skip

#: Functions that give what they are given.
SAME = frozenset({"tf.identity", "tf.stop_gradient", "tf.convert_to_tensor", "tf.constant", "tf.Variable", "tf.abs", "tf.exp", "tf.square",
                  "tf.sqrt", "tf.tanh", "tf.nn.relu", "tf.nn.softmax", "tf.sigmoid", "tf.math.log", "tf.nn.sigmoid", "tf.zeros_like",
                  "tf.ones_like"})  # fmt: skip

ELEMENTWISE = {
    "tf.add": "add",
    "tf.subtract": "sub",
    "tf.multiply": "mul",
    "tf.math.add": "add",
    "tf.math.subtract": "sub",
    "tf.math.multiply": "mul",
}

PRODUCTS = frozenset({"tf.matmul", "tf.linalg.matmul"})

DECODERS = ("tf.io.decode_", "tf.image.decode_")


def operated(run: Run, node: ast.AST, name: str, left: Any, right: Any) -> Any:
    """What an operator makes of two things of which one is a tensor or an array."""
    both = (as_operand(left), as_operand(right))
    if any(isinstance(it, Unknown) for it in both):
        return UNKNOWN
    kinds = {it.kind for it in both if isinstance(it, Tensor)}
    if kinds == {"array"}:
        return arrays.operated(run, node, name, *both)
    if name in ("eq", "ne"):
        return UNKNOWN
    quick = _quickly(name, *both)
    return quick if quick is not None else run.call(node, f"operator.{name}", list(both))


def as_operand(thing: Any) -> Any:
    """A thing as it may be sent; lists of numbers among them."""
    if isinstance(thing, Tensor):
        return (
            UNKNOWN if thing.kind == "text" or (thing.shape is None and not thing.traced) else thing
        )
    if isinstance(thing, Const) and isinstance(thing.value, int | float):
        return thing
    return thing if isinstance(thing, Group) and not thing.lost else UNKNOWN


def _quickly(name: str, left: Any, right: Any) -> Tensor | None:
    """What everybody knows without TensorFlow: two tensors of the same type whose shapes fit."""
    for one, other in ((left, right), (right, left)):
        if (
            isinstance(one, Tensor)
            and isinstance(other, Const)
            and one.kind == "tensor"
            and one.dtype.startswith("float")
            and name in ("add", "sub", "mul", "truediv")
        ):
            return Tensor(one.shape, one.dtype, "", "tensor", one.traced) if not one.key else None
    if not (isinstance(left, Tensor) and isinstance(right, Tensor)) or left.key or right.key:
        return None
    if (
        left.kind != "tensor"
        or right.kind != "tensor"
        or left.dtype != right.dtype
        or not left.is_whole
        or not right.is_whole
    ):
        return None
    if left.shape is None or right.shape is None or None in left.shape or None in right.shape:
        return None
    if name == "matmul":
        fits = len(left.shape) == len(right.shape) == 2 and left.shape[1] == right.shape[0]
        return Tensor((left.shape[0], right.shape[1]), left.dtype) if fits else None
    if name in ("add", "sub", "mul") or (name == "truediv" and left.dtype.startswith("float")):
        shape = arrays.stretched(left.shape, right.shape)
        return Tensor(shape, left.dtype) if shape is not None else None
    return None


def negated(run: Run, node: ast.AST, owner: Tensor) -> Any:
    """The same with other signs."""
    return (
        owner
        if owner.kind == "array"
        else run.call(node, "operator.neg", [owner])
        if owner.kind != "text"
        else UNKNOWN
    )


def indexed(run: Run, node: ast.Subscript, owner: Tensor, at: Any) -> Any:
    """A part of a tensor."""
    if owner.kind == "array":
        return arrays.indexed(owner, at)
    parts = at.items if isinstance(at, Group) and at.kind == "tuple" and not at.lost else [at]
    fixed = all(
        isinstance(it, Const) or (isinstance(it, Api) and it.name.endswith(".newaxis"))
        for it in parts
    )
    if not fixed:
        return UNKNOWN
    sent = [NONE if isinstance(it, Api) else it for it in parts]
    return run.call(node, "operator.getitem", [owner, Group("tuple", sent)])


def attribute(run: Run, node: ast.AST, owner: Tensor, word: str) -> Any:
    """An attribute of a tensor or an array."""
    if owner.kind == "text":
        return Method(owner, word)
    if word == "shape":
        return _sides(owner)
    if word == "ndim":
        return UNKNOWN if owner.shape is None else Const(len(owner.shape))
    if word == "dtype":
        return Api(f"tensorflow.{owner.dtype}") if owner.dtype else UNKNOWN
    if word == "T" and owner.kind == "array" and owner.shape is not None:
        return Tensor(owner.shape[::-1], owner.dtype, "", "array", False, owner.below)
    if word == "size" and owner.kind == "array" and owner.is_whole and owner.shape is not None:
        number = 1
        for side in owner.shape:
            number *= side or 0
        return Const(number)
    return Method(owner, word)


def _sides(owner: Tensor) -> Any:
    if owner.shape is None:
        return UNKNOWN
    return Group(
        "tuple", [Const(it) if it is not None or owner.traced else UNKNOWN for it in owner.shape]
    )


def method(run: Run, call: Call, owner: Tensor, word: str) -> Any:
    """A method of a tensor."""
    if owner.kind == "text":
        return TEXT if word in ("format", "join", "strip", "lower", "upper", "replace") else UNKNOWN
    if owner.kind == "array":
        return arrays.method(run, call, owner, word)
    if word == "numpy" and not call.args:
        return Tensor(owner.shape, owner.dtype, "", "array")
    if word == "get_shape":
        return _sides(owner)
    if word in ("value", "read_value"):
        return owner
    return UNKNOWN


def function(run: Run, call: Call, name: str, real: str) -> Any:
    """What a function of TensorFlow gives."""
    if call.open:
        return UNKNOWN
    if name in SHAPED:
        return _shaped(call, name)
    if name.startswith(DECODERS) or name == "tf.io.read_file":
        return _of_files(run, call, name, real)
    if name == "tf.cast" and isinstance(call.get(0, "x"), Tensor):
        quick = _cast(call)
        if quick is not None:
            return quick
    if name in SAME:
        quick = _same(call, name)
        if quick is not None:
            return quick
    sign = "matmul" if name in PRODUCTS else ELEMENTWISE.get(name, "")
    if sign and len(call.args) == 2 and not set(call.words) - {"name"}:
        quick = _quickly(sign, *call.args)
        if quick is not None:
            return quick
    return _asked(run, call, name, real)


def _asked(run: Run, call: Call, name: str, real: str) -> Any:
    if not is_allowed(name):
        return UNKNOWN
    words = {
        word: it
        for word, it in call.words.items()
        if word not in WITHOUT_EFFECT or name.startswith("tf.") is False
    }
    words.pop("name", None)
    args = [sendable(it) for it in call.args]
    told = {word: sendable(it) for word, it in words.items()}
    if any(isinstance(it, Unknown) for it in (*args, *told.values())):
        return UNKNOWN
    return run.call(call.node, real, args, told)


def sendable(thing: Any) -> Any:
    """A thing as it may be an argument of a question."""
    if isinstance(thing, Tensor) and thing.kind == "text":
        return UNKNOWN
    if isinstance(thing, Api) and not is_harmless_word(canonical(thing.name)):
        return UNKNOWN
    if isinstance(thing, Group) and any(isinstance(sendable(it), Unknown) for it in thing.items):
        return UNKNOWN
    return thing


def _shaped(call: Call, name: str) -> Any:
    place, kind, usual = SHAPED[name]
    shape = shape_of(call.get(place, "shape"))
    dtype = dtype_of(call.get(kind, "dtype"), usual)
    if (
        shape is None
        or None in shape
        or not dtype
        or any(it is not None and it < 0 for it in shape)
    ):
        return UNKNOWN
    return Tensor(shape, dtype)


def _of_files(run: Run, call: Call, name: str, real: str) -> Any:
    """What is decoded has a shape that does not depend on the file's name or bytes."""
    if name == "tf.io.read_file":
        return BYTES
    if name.rpartition("decode_")[2] in ("raw", "base64", "compressed"):
        return UNKNOWN
    words = {word: it for word, it in call.words.items() if word not in ("name", "contents")}
    rest = call.args[1:]
    if any(isinstance(sendable(it), Unknown) for it in (*rest, *words.values())):
        return UNKNOWN
    found = run.call(call.node, real, [BYTES, *rest], words)
    if isinstance(found, Tensor) and not run.traced:
        return Tensor(
            found.shape, found.dtype, found.key
        )  # eagerly its sizes are those of the picture
    return found


def _cast(call: Call) -> Tensor | None:
    tensor, dtype = call.get(0, "x"), dtype_of(call.get(1, "dtype"))
    if not dtype or tensor.key or tensor.kind not in ("tensor", "array"):
        return None
    return Tensor(tensor.shape, dtype, "", "tensor", tensor.traced, tensor.below)


def _same(call: Call, name: str) -> Any:
    """What functions give that leave shape and type as they are; None when that has to be asked."""
    given = call.get(0, "value", "x", "input", "tensor", "initial_value", "features", "logits")
    words = set(call.words) - {
        "name",
        "dtype",
        "value",
        "x",
        "input",
        "tensor",
        "initial_value",
        "trainable",
    }
    if (
        isinstance(given, Tensor)
        and not given.key
        and given.kind in ("tensor", "array")
        and not words
        and len(call.args) <= 2
    ):
        if name in ("tf.constant", "tf.convert_to_tensor", "tf.Variable"):
            dtype = dtype_of(call.get(1 if name != "tf.Variable" else None, "dtype"), given.dtype)
            array = given.kind == "array" or dtype == given.dtype
            return (
                Tensor(given.shape, dtype, "", "tensor", given.traced, given.below)
                if dtype and array
                else None
            )
        floats = given.dtype.startswith("float") and len(call.args) <= 1 and given.kind == "tensor"
        return given if floats and "dtype" not in call.words else None
    if (
        name in ("tf.constant", "tf.convert_to_tensor", "tf.Variable")
        and not words
        and len(call.args) <= 2
    ):
        literal = arrays.literal(given)
        dtype = dtype_of(
            call.get(1 if name != "tf.Variable" else None, "dtype"),
            LITERAL.get(literal.dtype, "") if literal else "",
        )
        if literal is not None and dtype and literal.shape:
            small = literal.shape is not None and len(literal.shape) == 1 and "int" in dtype
            return None if small else Tensor(literal.shape, dtype)
    if isinstance(given, Many) and isinstance(given.element, Tensor):
        return UNKNOWN
    return None


#: What a list of numbers becomes in TensorFlow.
LITERAL = {"float64": "float32", "int64": "int32", "bool": "bool"}


def compatible(one: Shape, other: Shape) -> bool:
    """Whether two shapes may be the same."""
    return len(one) == len(other) and all(
        a is None or b is None or a == b for a, b in zip(one, other, strict=True)
    )
