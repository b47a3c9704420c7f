"""What made a value, through names, the functions of the file and their arguments; and the activation that made a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.quick_dataclass import dataclass
from outlive.source.names import Binding, Names, key_of
from outlive.source.syntax import argument_of, last_name
from outlive.source.tree import Tree

#: Longer chains of names and calls are not followed.
MOST_HOPS = 16

#: A value that is made of more is not followed further; nor one that so many branches may have made.
MOST_NODES = 400
MOST_ROOTS = 500

#: What gives its first argument on.
PASSING = ("tf.identity", "tf.convert_to_tensor", "tf.stop_gradient")
#: What changes the shape of its first argument, and no number of it.
SHAPING = ("tf.squeeze", "tf.expand_dims", "tf.reshape", "tf.layers.flatten", "tf.transpose")

ACTIVATIONS = frozenset({
    "relu", "relu6", "elu", "selu", "gelu", "swish", "silu", "softplus", "leaky_relu", "tanh", "sigmoid", "softmax",
})  # fmt: skip
#: What gives any number, of both signs.
LINEAR = frozenset({
    "tf.matmul", "tf.linalg.matmul", "tf.nn.conv1d", "tf.nn.conv2d", "tf.nn.conv3d", "tf.nn.bias_add", "tf.nn.xw_plus_b",
})  # fmt: skip
ADDING = ("tf.add", "tf.math.add")
#: Functions of TensorFlow 1 that make a layer and call it.
LAYER_FUNCTIONS = ("tf.layers.dense", "tf.layers.conv1d", "tf.layers.conv2d", "tf.layers.conv3d")
#: Layers of Keras that take an activation, with the place of that argument.
LAYER_CLASSES = {
    "Dense": 1, "Conv1D": None, "Conv2D": None, "Conv3D": None, "Convolution2D": None, "EinsumDense": None,
    "SeparableConv2D": None, "DepthwiseConv2D": None, "Conv2DTranspose": None,
}  # fmt: skip
ACTIVATION_LAYERS = {"Softmax": "softmax", "ReLU": "relu", "LeakyReLU": "leaky_relu", "ELU": "elu"}

PLACEHOLDERS = ("tf.placeholder", "tf.placeholder_with_default")


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a function of the file: what its parameters stand for."""

    function: ast.AST
    call: ast.Call
    outer: Frame | None = None


@dataclass(frozen=True, slots=True)
class Root:
    """The expression that made a value, and the call in which it did."""

    node: ast.expr
    frame: Frame | None = None
    part: int | None = None  #: of a call that gives several values: which of them


class Origins:
    """Where values come from."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree = tree
        self._names = names
        self._left = MOST_ROOTS
        self._activations: dict[Root, str] = {}

    def roots(
        self, node: ast.expr | None, frame: Frame | None = None, hops: int = MOST_HOPS
    ) -> tuple[Root, ...]:
        """What may have made a value; an expression whose origin the text does not tell is its own."""
        if node is None:
            return ()
        self._left = MOST_ROOTS if hops == MOST_HOPS else self._left - 1
        if not hops or self._left < 0:
            return (Root(node, frame),)
        if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and key_of(node)):
            return self._of_name(node, frame, hops - 1)
        if isinstance(node, ast.Call):
            return self._of_call(node, frame, hops - 1)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return self._of_element(node, node.slice.value, frame, hops - 1)
        if isinstance(node, ast.IfExp):
            either = (self.roots(one, frame, hops - 1) for one in (node.body, node.orelse))
            return tuple(root for roots in either for root in roots)
        return (Root(node, frame),)

    def made_by(self, node: ast.expr | None, frame: Frame | None = None) -> frozenset[str]:
        """The functions that made a value, by their canonical names; empty when any of them is not known."""
        roots = self.roots(node, frame)
        called = {self.called(root) for root in roots}
        return frozenset() if "" in called else frozenset(called)

    def called(self, root: Root) -> str:
        """The canonical name of the function whose call made a value."""
        return self._names.called(root.node.func) if isinstance(root.node, ast.Call) else ""

    def placeholder(self, node: ast.expr | None, frame: Frame | None = None) -> Root | None:
        """The placeholder that a value surely is."""
        roots = self.roots(node, frame)
        only = roots[0] if len(roots) == 1 else None
        return only if only is not None and self.called(only) in PLACEHOLDERS else None

    def needs(
        self,
        node: ast.expr | None,
        makers: frozenset[str],
        frame: Frame | None = None,
        *,
        stop: frozenset[str] = frozenset(),
    ) -> bool:
        """Whether a value is worked out of something that one of these functions made, and not only by way of ``stop``."""
        return any(self.called(root) in makers for root in self.worked_out_of(node, frame, stop))

    def worked_out_of(
        self, node: ast.expr | None, frame: Frame | None = None, stop: frozenset[str] = frozenset()
    ) -> Iterator[Root]:
        """Everything that a value is worked out of, as far as the text tells; what ``stop`` made is the end of its way."""
        waiting = [Root(node, frame)] if node is not None else []
        seen: set[tuple[ast.AST, Frame | None]] = set()
        while waiting and len(seen) < MOST_NODES:
            at = waiting.pop()
            for root in self.roots(at.node, at.frame):
                if (root.node, root.frame) in seen:
                    continue
                seen.add((root.node, root.frame))
                yield root
                if self.called(root) not in stop:
                    waiting += (Root(below, root.frame) for below in self._operands(root.node))

    def _operands(self, node: ast.expr) -> Iterator[ast.expr]:
        """What an expression works with: arguments, operands, and the object whose method is called; not what only asks for a shape."""
        if isinstance(node, ast.Attribute):
            return
        if isinstance(node, ast.Call):
            if last_name(node.func) in ("get_shape", "set_shape"):
                return
            if isinstance(node.func, ast.Attribute) and not self._names.called(node.func):
                yield node.func.value
            yield from (*node.args, *(word.value for word in node.keywords))
            return
        for below in ast.iter_child_nodes(node):
            if isinstance(below, ast.expr):
                yield below

    def is_known(self, node: ast.expr | None, frame: Frame | None = None, stop: frozenset[str] = frozenset()) -> bool:  # fmt: skip
        """Whether the text tells all that a value is worked out of."""
        return all(
            self.called(root) or not isinstance(root.node, ast.Name | ast.Call)
            for root in self.worked_out_of(node, frame, stop)
        )

    def activation(self, node: ast.expr | None, frame: Frame | None = None) -> str:
        """The activation that a tensor went through last; `none` for a layer without one, nothing when it is not known."""
        found = {self._activation_of(root, MOST_HOPS) for root in self.roots(node, frame)}
        return found.pop() if len(found) == 1 else ""

    def activation_of_layer(self, call: ast.Call, frame: Frame | None = None) -> str:
        """The activation of a Keras layer as it is made: `Dense(10, activation="softmax")`."""
        kind = last_name(call.func)
        if kind in ACTIVATION_LAYERS:
            return ACTIVATION_LAYERS[kind]
        if kind == "Activation":
            return self._named(argument_of(call, 0, "activation"), frame)
        if kind not in LAYER_CLASSES or any(word.arg is None for word in call.keywords):
            return ""
        given = argument_of(call, LAYER_CLASSES[kind], "activation")
        return self._named(given, frame) if given is not None else "none"

    def arguments(self, frame: Frame, name: str) -> ast.expr | None:
        """What a parameter stands for in a call, or its default."""
        function = frame.function
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        words = [word.arg for word in (*function.args.posonlyargs, *function.args.args)]
        only = [word.arg for word in function.args.kwonlyargs]
        if name not in words:
            given = argument_of(frame.call, None, name) if name in only else None
            default = function.args.kw_defaults[only.index(name)] if name in only else None
            return given or default
        method = words[0] in ("self", "cls")
        given = argument_of(frame.call, words.index(name) - method, name)
        from_end = words.index(name) - len(words)
        defaults = function.args.defaults
        default = defaults[from_end] if -from_end <= len(defaults) else None
        starred = any(isinstance(word, ast.Starred) for word in frame.call.args) or any(
            word.arg is None for word in frame.call.keywords
        )
        return given or (None if starred else default)

    def returned(self, function: ast.AST) -> Iterator[ast.expr]:
        """What a function gives back, at each of its ends."""
        if isinstance(function, ast.Lambda):
            yield function.body
            return
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and self._tree.function(node) is function and node.value:  # fmt: skip
                yield node.value

    def _of_name(self, node: ast.Name | ast.Attribute, frame: Frame | None, hops: int) -> tuple[Root, ...]:  # fmt: skip
        itself = (Root(node, frame),)
        if isinstance(node, ast.Attribute) and self._names.called(node):
            return itself  # `tf.nn.relu`: a thing of a module
        bound = self._names.latest(node)
        if bound is None and isinstance(node, ast.Attribute):
            every = self._names.bindings(node)
            bound = every[0] if len(every) == 1 else None
        if bound is None:
            return itself
        here = self._frame_of(bound, node, frame)
        if bound.how in ("assign", "with") and bound.value is not None:
            return self.roots(bound.value, here, hops)
        if bound.how == "unpack":
            return self._part(bound, node, here, hops) or itself
        if bound.how == "parameter" and isinstance(node, ast.Name):
            if frame is None or frame.function is not bound.scope:
                return itself
            given = self.arguments(frame, node.id)
            inside = given is not None and self._tree.function(given) is frame.function
            outer = frame if inside else frame.outer
            return self.roots(given, outer, hops) if given is not None else itself
        return itself

    def _of_element(
        self, node: ast.Subscript, key: object, frame: Frame | None, hops: int
    ) -> tuple[Root, ...]:
        """`weights["out"]`, of a dict that is written down."""
        holders = self.roots(node.value, frame, hops)
        holder = holders[0] if len(holders) == 1 else None
        if holder is None or not isinstance(holder.node, ast.Dict):
            return (Root(node, frame),)
        for word, value in zip(holder.node.keys, holder.node.values, strict=True):
            if isinstance(word, ast.Constant) and word.value == key:
                return self.roots(value, holder.frame, hops)
        return (Root(node, frame),)

    def _frame_of(self, bound: Binding, node: ast.AST, frame: Frame | None) -> Frame | None:
        """The call to which a binding belongs, seen from a use."""
        function = self._tree.function(bound.node)
        while frame is not None and frame.function is not function:
            frame = frame.outer
        return frame

    def _part(self, bound: Binding, node: ast.expr, frame: Frame | None, hops: int) -> tuple[Root, ...]:  # fmt: skip
        """`x, y = both()`: the place of `y`, of what both gives back."""
        targets = bound.node.targets if isinstance(bound.node, ast.Assign) else []
        for target in targets:
            names = [key_of(it) for it in getattr(target, "elts", ())]
            if key_of(node) not in names:
                continue
            place = names.index(key_of(node))
            found: list[Root] = []
            for root in self.roots(bound.value, frame, hops):
                if isinstance(root.node, ast.Tuple | ast.List) and place < len(root.node.elts):
                    found += self.roots(root.node.elts[place], root.frame, hops)
                else:
                    found.append(Root(root.node, root.frame, place))
            return tuple(found)
        return ()

    def _of_call(self, call: ast.Call, frame: Frame | None, hops: int) -> tuple[Root, ...]:
        called = self._names.called(call.func)
        if called in PASSING and call.args:
            return self.roots(call.args[0], frame, hops)
        function = self._names.definition(call.func)
        plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        if not plain or function is None or _is_recursive(function, frame):
            return (Root(call, frame),)
        inner = Frame(function, call, frame)
        found = [root for value in self.returned(function) for root in self.roots(value, inner, hops)]  # fmt: skip
        return tuple(found) if found else (Root(call, frame),)

    def _activation_of(self, root: Root, hops: int) -> str:
        if root not in self._activations:
            self._activations[root] = ""  # who asks about itself knows nothing
            self._activations[root] = self._last_activation(root, hops)
        return self._activations[root]

    def _last_activation(self, root: Root, hops: int) -> str:
        node = root.node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and hops:
            sides = [self.activation(side, root.frame) for side in (node.left, node.right)]
            return "none" if "none" in sides else ""
        if not isinstance(node, ast.Call):
            return ""
        called = self._names.called(node.func) or self._named_function(node.func, root.frame)
        if called in LINEAR:
            return "none"
        if called in SHAPING and node.args and hops:
            return self.activation(node.args[0], root.frame)
        if called in ADDING and len(node.args) >= 2 and hops:
            sides = [self.activation(side, root.frame) for side in node.args[:2]]
            return "none" if "none" in sides else ""
        if called in LAYER_FUNCTIONS:
            given = argument_of(node, None, "activation")
            return self._named(given, root.frame) if given is not None else "none"
        word = called.rpartition(".")[2]
        if called.startswith(("tf.", "keras.")) and word in ACTIVATIONS:
            return word
        return self._of_layer_called(node, root.frame)

    def _named_function(self, function: ast.expr, frame: Frame | None) -> str:
        """The function that a parameter stands for: `activation(x)` where `tf.nn.relu` was handed over."""
        roots = self.roots(function, frame) if isinstance(function, ast.Name) else ()
        return self._names.called(roots[0].node) if len(roots) == 1 else ""

    def _of_layer_called(self, call: ast.Call, frame: Frame | None) -> str:
        """`Dense(10)(x)`, or `dense(x)` with a layer that was made before."""
        made = [root.node for root in self.roots(call.func, frame)]
        layer = made[0] if len(made) == 1 else None
        if not isinstance(layer, ast.Call) or not self._names.called(layer.func).startswith("keras."):  # fmt: skip
            return ""
        return self.activation_of_layer(layer, frame)

    def _named(self, given: ast.expr | None, frame: Frame | None) -> str:
        """`"softmax"`, `tf.nn.softmax`, `None`: the word that rules know."""
        roots = self.roots(given, frame)
        only = roots[0].node if len(roots) == 1 else None
        if isinstance(only, ast.Constant):
            return "none" if only.value in (None, "linear") else str(only.value)
        return last_name(only) if only is not None and self._names.called(only) else ""


def _is_recursive(function: ast.AST, frame: Frame | None) -> bool:
    while frame is not None:
        if frame.function is function:
            return True
        frame = frame.outer
    return False
