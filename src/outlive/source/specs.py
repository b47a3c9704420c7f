"""Shape, type and bytes of arrays and tensors, as far as the text tells, and the arrays that were there when it ran. Pure.

What is not known stays unknown: a size is `None`, a type is empty, and nothing is guessed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from outlive.model.quick_dataclass import dataclass
from outlive.source.names import Names, key_of
from outlive.source.syntax import argument_of, last_name
from outlive.source.values import Values

#: Bytes of a number of each type.
WIDTHS = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4,
    "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip

#: Names of types as people write them.
SAME_TYPE = {"float": "float64", "double": "float64", "int": "int64", "float_": "float64", "bool_": "bool", "single": "float32",
             "half": "float16"}  # fmt: skip

#: Makers of a shape: the place of the shape, that of the type, and the type where none is given.
SHAPED = {
    "numpy.zeros": (0, 1, "float64"), "numpy.ones": (0, 1, "float64"), "numpy.empty": (0, 1, "float64"),
    "numpy.full": (0, 2, "float64"), "numpy.random.random": (0, None, "float64"), "numpy.random.random_sample": (0, None, "float64"),
    "numpy.random.standard_normal": (0, None, "float64"), "numpy.random.normal": (2, None, "float64"),
    "numpy.random.uniform": (2, None, "float64"), "numpy.random.randint": (2, 3, "int64"),
    "numpy.random.default_rng().random": (0, 1, "float64"), "numpy.random.default_rng().normal": (2, None, "float64"),
    "numpy.random.default_rng().standard_normal": (0, 1, "float64"),
    "numpy.random.default_rng().uniform": (2, None, "float64"), "numpy.random.default_rng().integers": (2, 3, "int64"),
    "tf.zeros": (0, 1, "float32"), "tf.ones": (0, 1, "float32"), "tf.random.normal": (0, 3, "float32"),
    "tf.random.uniform": (0, 3, "float32"), "tf.random.truncated_normal": (0, 3, "float32"),
}  # fmt: skip
SIDES = {"numpy.random.rand": "float64", "numpy.random.randn": "float64"}
LIKE = ("numpy.zeros_like", "numpy.ones_like", "numpy.empty_like", "numpy.copy", "numpy.array", "numpy.asarray",
        "numpy.ascontiguousarray", "tf.constant", "tf.convert_to_tensor", "tf.identity", "tf.Variable", "tf.zeros_like", "tf.ones_like")  # fmt: skip
#: Of `tf.constant` and its kin: `shape=` and `ndmin=` make another shape.
WORDS_OF_LIKE = {"dtype", "name", "copy", "trainable"}
SAME_SHAPE = ("numpy.exp", "numpy.log", "numpy.sqrt", "numpy.abs", "numpy.square", "numpy.tanh", "tf.exp", "tf.nn.relu", "tf.nn.softmax", "tf.tanh", "tf.square", "tf.abs")  # fmt: skip
#: Methods that give a new array of the same shape and type.
SAME_METHODS = frozenset({"copy", "numpy", "cumsum", "cumprod", "clip", "round", "conj"})
JOINING = ("numpy.concatenate", "numpy.vstack", "tf.concat")
STACKING = ("numpy.stack", "numpy.array", "numpy.asarray", "tf.stack")
CLASSES = ("keras.utils.to_categorical", "tf.one_hot")
RESHAPES = ("tf.reshape", "numpy.reshape")
PRODUCTS = ("numpy.matmul", "tf.matmul", "tf.linalg.matmul")
#: Functions of two arrays that are stretched to each other, and whether they divide.
ELEMENTWISE = {
    "tf.add": False, "tf.subtract": False, "tf.multiply": False, "tf.divide": True, "tf.maximum": False, "tf.minimum": False,
    "tf.math.add": False, "tf.math.subtract": False, "tf.math.multiply": False, "tf.math.divide": True, "numpy.add": False,
    "numpy.subtract": False, "numpy.multiply": False, "numpy.divide": True,
}  # fmt: skip
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)

#: Longer chains of names are not followed.
MOST_HOPS = 12

Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An array or tensor by its shape and type."""

    shape: Shape
    dtype: str = ""  #: empty: not known
    count: int = 1  #: so many of them, in a list

    @property
    def elements(self) -> int:
        """How many numbers one of them has; 0 when a size is not known."""
        return 0 if None in self.shape else math.prod(it for it in self.shape if it is not None)

    @property
    def bytes(self) -> int:
        """What its numbers take; 0 when that is not known."""
        return self.count * self.elements * WIDTHS.get(self.dtype, 0)

    @property
    def words(self) -> str:
        """As a person writes it: 40000×4000 float64."""
        sides = "×".join(map(_side, self.shape)) or "one"
        return f"{f'{self.count} × ' if self.count > 1 else ''}{sides} {self.dtype}"

    def __str__(self) -> str:
        return f"[{', '.join(map(_side, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Two arrays that an operation cannot take together."""

    left: Array
    right: Array
    why: str


class Specs:
    """What is known of the arrays and tensors of a file; ``known`` are those that had names when it ran."""

    def __init__(
        self,
        names: Names,
        values: Values,
        calls_of: Callable[[str], list[ast.Call]],
        known: Mapping[str, Array] | None = None,
    ) -> None:
        self._names = names
        self._values = values
        self._calls_of = calls_of
        self._known = known or {}
        self._found: dict[ast.expr, Array | None] = {}

    def knowing(self, known: Mapping[str, Array]) -> Specs:
        """The same, with the arrays that had names at a moment of the run."""
        return Specs(self._names, self._values, self._calls_of, known)

    def of(self, node: ast.expr | None, hops: int = MOST_HOPS) -> Array | None:
        """The array that an expression is; None when the text does not tell."""
        if node is None or not hops:
            return None
        if node not in self._found:
            self._found[node] = None  # who asks about itself knows nothing
            self._found[node] = self._worked_out(node, hops)
        return self._found[node]

    def value_of(self, node: ast.Name | ast.Attribute) -> ast.expr | None:
        """What a name was bound to; a parameter of a function that is called in one place was bound there."""
        bound = self._names.latest(node)
        if bound is not None and bound.how == "assign":
            return bound.value
        if bound is None or bound.how != "parameter" or not isinstance(node, ast.Name):
            return None
        function = bound.scope
        if not isinstance(function, ast.FunctionDef):
            return None
        calls = self._calls_of(function.name)
        words = [word.arg for word in (*function.args.posonlyargs, *function.args.args)]
        if len(calls) != 1 or node.id not in words:
            return None
        method = words[:1] == ["self"] and isinstance(calls[0].func, ast.Attribute)
        return argument_of(calls[0], words.index(node.id) - method, node.id)

    def misfit(self, node: ast.expr) -> Misfit | None:
        """Why an operation of two arrays cannot work, if the text shows it."""
        pair = self._operands(node) if isinstance(node, ast.Call | ast.BinOp) else None
        if pair is None:
            return None
        left, right = self.of(pair[0]), self.of(pair[1])
        if left is None or right is None or left.count > 1 or right.count > 1:
            return None
        product = _is_product(node, self._names)
        why = product_misfit(left.shape, right.shape) if product else stretch_misfit(left.shape, right.shape)  # fmt: skip
        return Misfit(left, right, why) if why else None

    def _worked_out(self, node: ast.expr, hops: int) -> Array | None:
        if isinstance(node, ast.Name | ast.Attribute):
            return self._known.get(key_of(node)) or self._bound(node, hops)
        if isinstance(node, ast.BinOp):
            return self._calculated(node, hops - 1)
        if isinstance(node, ast.Subscript):
            return self._indexed(node, hops - 1)
        if isinstance(node, ast.Call) and not any(isinstance(it, ast.Starred) for it in node.args):
            return self._called(node, hops - 1)
        return None

    def _bound(self, node: ast.Name | ast.Attribute, hops: int) -> Array | None:
        if isinstance(node, ast.Attribute) and node.attr == "T":
            turned = self.of(node.value, hops - 1)
            return replace(turned, shape=turned.shape[::-1]) if turned else None
        return self.of(self.value_of(node), hops - 1)

    def _operands(self, node: ast.Call | ast.BinOp) -> tuple[ast.expr, ast.expr] | None:
        """The two sides of an operation of arrays."""
        if isinstance(node, ast.BinOp):
            known = isinstance(node.op, (*OPERATORS, ast.MatMult))
            return (node.left, node.right) if known else None
        plain = len(node.args) == 2 and {word.arg for word in node.keywords} <= {"name"}
        called = self._names.called(node.func)
        if not plain or (called not in PRODUCTS and called not in ELEMENTWISE):
            return None  # transpose_a and its kin turn the sides
        return node.args[0], node.args[1]

    def _calculated(self, node: ast.BinOp, hops: int) -> Array | None:
        if isinstance(node.op, ast.MatMult):
            return self._product(node.left, node.right, hops)
        if not isinstance(node.op, OPERATORS):
            return None
        left, right = self.of(node.left, hops), self.of(node.right, hops)
        divides = isinstance(node.op, ast.Div)
        if left is not None and right is not None:
            return stretched(left, right, divides=divides)
        array, other = (left, node.right) if left is not None else (right, node.left)
        number = self._values.number(other)
        if array is None or number is None or array.count > 1:
            return None
        whole = isinstance(number, int) and not divides
        return array if whole else replace(array, dtype=divided(array.dtype))

    def _product(self, one: ast.expr, other: ast.expr, hops: int) -> Array | None:
        left, right = self.of(one, hops), self.of(other, hops)
        if left is None or right is None or len(left.shape) < 2 or len(right.shape) < 2:
            return None
        if product_misfit(left.shape, right.shape) or len(right.shape) > 2:
            return None
        return Array((*left.shape[:-1], right.shape[-1]), promoted(left.dtype, right.dtype))

    def _indexed(self, node: ast.Subscript, hops: int) -> Array | None:
        """`x[:, None]`: whole axes and new ones; a part of an axis is not known."""
        array = self.of(node.value, hops)
        words = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if array is None or array.count > 1:
            return None
        shape: list[int | None] = []
        rest = list(array.shape)
        for word in words:
            if _is_new(word):
                shape.append(1)
            elif isinstance(word, ast.Slice) and rest and not (word.lower or word.upper or word.step):  # fmt: skip
                shape.append(rest.pop(0))
            elif isinstance(word, ast.Constant) and word.value is Ellipsis and word is words[0]:
                axes = sum(not _is_new(other) for other in words[1:])
                shape += rest[: len(rest) - axes]
                rest = rest[len(rest) - axes :]
            else:
                return None
        return replace(array, shape=(*shape, *rest))

    def _called(self, call: ast.Call, hops: int) -> Array | None:
        method = isinstance(
            call.func, ast.Attribute
        )  # of a function of the file, the arguments are not those of what it makes
        called = self._names.called(call.func) or (self._values.made_by(call) if method else "")
        if any(word.arg is None for word in call.keywords):
            return None
        if called in SHAPED or called in SIDES:
            return self._shaped(call, called)
        if called in CLASSES:
            return self._one_hot(call, called, hops)
        if called in JOINING:
            return self._joined(call, hops)
        if called in ("numpy.eye", "numpy.identity", "numpy.outer", "numpy.arange"):
            return self._of_numbers(call, called, hops)
        if self._operands(call) is not None and called in PRODUCTS:
            return self._product(call.args[0], call.args[1], hops)
        if called == "numpy.dot" and len(call.args) == 2:
            return self._product(call.args[0], call.args[1], hops)
        if self._operands(call) is not None and called in ELEMENTWISE:
            left, right = self.of(call.args[0], hops), self.of(call.args[1], hops)
            known = left is not None and right is not None
            return stretched(left, right, divides=ELEMENTWISE[called]) if known and left and right else None  # fmt: skip
        return self._of_first(call, called, hops)

    def _of_first(self, call: ast.Call, called: str, hops: int) -> Array | None:
        """What a function makes of the array that it is given first, or whose method it is."""
        first = argument_of(call, 0, "x", "value", "initial_value", "tensor")
        array = self.of(first, hops)
        if called in STACKING and array is not None and array.count > 1:
            dtype = self._dtype(argument_of(call, 1, "dtype"), array.dtype)
            return Array((array.count, *array.shape), dtype)
        if called == "tf.cast":
            dtype = self._dtype(argument_of(call, 1, "dtype"), "")
            return replace(array, dtype=dtype) if array is not None else None
        if called in LIKE and first is not None:
            if {word.arg for word in call.keywords} - WORDS_OF_LIKE or len(call.args) > 2:
                return None
            array = array or _literal(first, called)
            single = array is not None and array.count == 1
            dtype = self._dtype(argument_of(call, 1, "dtype"), array.dtype if array else "")
            return Array(array.shape, dtype) if array is not None and single else None
        if called in SAME_SHAPE and len(call.args) == 1:
            return replace(array, dtype=divided(array.dtype)) if array is not None else None
        if called in RESHAPES:
            return self._reshaped(array, call.args[1:2])
        of_a_module = self._names.called(call.func)
        if of_a_module and not of_a_module.startswith("builtins."):
            return None
        return self._method(call, hops)

    def _shaped(self, call: ast.Call, called: str) -> Array | None:
        if called in SIDES:
            sides = tuple(self._whole(word) for word in call.args)
            return Array(sides, SIDES[called]) if sides and not call.keywords else None
        place, kind, usual = SHAPED[called]
        shape = self._shape(argument_of(call, place, "shape", "size"))
        return Array(shape, self._dtype(argument_of(call, kind, "dtype"), usual)) if shape is not None else None  # fmt: skip

    def _of_numbers(self, call: ast.Call, called: str, hops: int) -> Array | None:
        if called == "numpy.outer":
            left, right = (self.of(word, hops) for word in call.args) if len(call.args) == 2 else (None, None)  # fmt: skip
            if left is None or right is None or not left.elements or not right.elements:
                return None
            return Array((left.elements, right.elements), promoted(left.dtype, right.dtype))
        if called == "numpy.arange":
            side = self._whole(call.args[0]) if len(call.args) == 1 else None
            dtype = self._dtype(argument_of(call, None, "dtype"), "int64")
            return Array((side,), dtype) if side is not None else None
        side = self._whole(argument_of(call, 0, "N", "n"))
        dtype = self._dtype(argument_of(call, 3, "dtype"), "float64")
        return Array((side, side), dtype) if side is not None else None

    def _method(self, call: ast.Call, hops: int) -> Array | None:
        if not isinstance(call.func, ast.Attribute):
            return None
        array = self.of(call.func.value, hops)
        if array is None or array.count > 1:
            return None
        if call.func.attr == "astype":
            return replace(array, dtype=self._dtype(argument_of(call, 0, "dtype"), ""))
        if call.func.attr == "reshape" and call.args and not call.keywords:
            return self._reshaped(array, call.args)
        into_another = any(word.arg == "out" for word in call.keywords)
        return array if call.func.attr in SAME_METHODS and not into_another else None

    def _one_hot(self, call: ast.Call, called: str, hops: int) -> Array | None:
        indices = self.of(call.args[0] if call.args else None, hops)
        count = self._whole(argument_of(call, 1, "num_classes", "depth"))
        if indices is None or indices.count > 1:
            return None
        return Array((*indices.shape, count), "float32" if called == "tf.one_hot" else "float64")

    def _joined(self, call: ast.Call, hops: int) -> Array | None:
        listed = call.args[0] if call.args else None
        axis = argument_of(call, 1, "axis")
        if axis is not None and self._values.number(axis) != 0:
            return None
        if not isinstance(listed, ast.List | ast.Tuple):
            array = self.of(listed, hops)
            if array is None or array.count == 1 or not array.shape or array.shape[0] is None:
                return None
            return Array((array.count * array.shape[0], *array.shape[1:]), array.dtype)
        parts = [self.of(part, hops) for part in listed.elts]
        known = [part for part in parts if part is not None and part.shape and part.count == 1]
        if not known or len(known) != len(parts) or len({part.shape[1:] for part in known}) != 1:
            return None
        dtype = known[0].dtype
        for part in known[1:]:
            dtype = promoted(dtype, part.dtype)
        lengths = [part.shape[0] for part in known]
        whole = None if None in lengths else sum(it for it in lengths if it is not None)
        return Array((whole, *known[0].shape[1:]), dtype)

    def _reshaped(self, inner: Array | None, words: list[ast.expr]) -> Array | None:
        shape = self._shape(words[0], of_rest=True) if len(words) == 1 else tuple(self._whole(it, of_rest=True) for it in words)  # fmt: skip
        if shape is None:
            return None
        dtype = inner.dtype if inner is not None else ""
        if -1 not in shape:
            return Array(shape, dtype)
        rest = math.prod(it for it in shape if it is not None and it != -1)
        known = inner is not None and inner.elements and None not in shape and rest
        missing = inner.elements // rest if known and inner is not None else None
        return Array(tuple(missing if it == -1 else it for it in shape), dtype)

    def _shape(self, node: ast.expr | None, *, of_rest: bool = False) -> Shape | None:
        """`(n, 3)`, `n`, `x.shape`; not `[2, *rest]`."""
        if isinstance(node, ast.Name):
            bound = self._names.latest(node)
            written = bound.value if bound is not None and bound.how == "assign" else None
            if isinstance(written, ast.Tuple | ast.List):
                node = written
        if isinstance(node, ast.Tuple | ast.List):
            if any(isinstance(it, ast.Starred) for it in node.elts):
                return None
            return tuple(self._whole(word, of_rest=of_rest) for word in node.elts)
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            array = self.of(node.value)
            return array.shape if array is not None and array.count == 1 else None
        side = self._whole(node, of_rest=of_rest)
        return (side,) if side is not None else None

    def _whole(self, node: ast.expr | None, *, of_rest: bool = False) -> int | None:
        """A whole number; with ``of_rest`` also -1, which stands for what is left."""
        if isinstance(node, ast.Call) and self._names.called(node.func) == "builtins.len":
            array = self.of(node.args[0]) if node.args else None
            if array is None:
                return None
            return array.count if array.count > 1 else array.shape[0] if array.shape else None
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":  # fmt: skip
            array, at = self.of(node.value.value), self._values.number(node.slice)
            fits = array is not None and isinstance(at, int) and -len(array.shape) <= at < len(array.shape)  # fmt: skip
            return array.shape[at] if array is not None and isinstance(at, int) and fits else None
        number = self._values.number(node)
        if number is None and isinstance(node, ast.Name):  # what the only call hands over
            number = self._values.number(self.value_of(node))
        least = -1 if of_rest else 0
        return int(number) if number is not None and number == int(number) and number >= least else None  # fmt: skip

    def _dtype(self, node: ast.expr | None, usual: str) -> str:
        """The name of a type; nothing when it is written in a way that is not known."""
        if node is None:
            return usual
        written = node.value if isinstance(node, ast.Constant) else last_name(node)
        name = SAME_TYPE.get(str(written), str(written))
        return name if name in WIDTHS else ""


def stretched(one: Array, other: Array, *, divides: bool = False) -> Array | None:
    """The array that two make which are combined element by element; nothing when they do not fit."""
    if one.count > 1 or other.count > 1 or stretch_misfit(one.shape, other.shape):
        return None
    longer, shorter = (one.shape, other.shape) if len(one.shape) >= len(other.shape) else (other.shape, one.shape)  # fmt: skip
    filled = (*(1,) * (len(longer) - len(shorter)), *shorter)
    sides = tuple(b if a == 1 else a if b == 1 else (a if b is None else b) for a, b in zip(longer, filled, strict=True))  # fmt: skip
    dtype = promoted(one.dtype, other.dtype)
    return Array(sides, divided(dtype) if divides else dtype)


def stretch_misfit(one: Shape, other: Shape) -> str:
    """Which sizes keep two arrays from being stretched to each other: equal ones fit, and 1 fits everything."""
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            return f"{a} against {b}"
    return ""


def product_misfit(one: Shape, other: Shape) -> str:
    """Which sizes keep two arrays from being multiplied as matrices: the last of the left, the last but one of the right."""
    if len(one) < 2 or len(other) < 2:
        return ""
    inner, outer = one[-1], other[-2]
    if inner is not None and outer is not None and inner != outer:
        return f"{inner} against {outer}"
    return stretch_misfit(one[:-2], other[:-2])


def promoted(one: str, other: str) -> str:
    """The type of two that are combined, where that is plain; else nothing."""
    if one == other or not one or not other:
        return one if one == other else ""
    if one.startswith("float") and other.startswith("float"):
        return max(one, other, key=lambda name: WIDTHS[name])
    small = ("bool", "int8", "uint8", "int16", "uint16")
    for name, with_it in ((one, other), (other, one)):
        if name in ("float32", "float64") and with_it in small:
            return name
        if name == "float64":
            return "float64"
    return ""


def divided(dtype: str) -> str:
    """The type after a division, a root or the like: whole numbers become float64, but for the small ones in TensorFlow."""
    if not dtype or dtype.startswith(("float", "bfloat", "complex")):
        return dtype
    return "float64"


def _literal(node: ast.expr, called: str) -> Array | None:
    """A nested list of numbers, as `tf.constant([[1.0, 2.0]])` takes it."""
    shape: list[int] = []
    while isinstance(node, ast.List | ast.Tuple) and node.elts:
        lengths = {len(it.elts) if isinstance(it, ast.List | ast.Tuple) else -1 for it in node.elts}
        if len(lengths) != 1 or any(isinstance(it, ast.Starred) for it in node.elts):
            return None
        shape.append(len(node.elts))
        node = node.elts[0]
    value = node.value if isinstance(node, ast.Constant) else None
    if not shape or not isinstance(value, int | float):
        return None
    usual = "float32" if called.startswith("tf.") else "float64"
    return Array(tuple(shape), usual if isinstance(value, float) else "")


def _is_product(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Call) and names.called(node.func) in PRODUCTS


def _is_new(word: ast.expr) -> bool:
    """Whether an index makes a new axis."""
    none = isinstance(word, ast.Constant) and word.value is None
    return none or (isinstance(word, ast.Attribute) and word.attr == "newaxis")


def _side(size: int | None) -> str:
    return "?" if size is None else str(size)
