"""The layers of the Keras models that a file makes, in their order, and how each model is compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from outlive.model.quick_dataclass import dataclass
from outlive.source.graphs.origins import Origins
from outlive.source.names import Names, key_of
from outlive.source.syntax import argument_of, last_name
from outlive.source.tree import Tree

SEQUENTIAL = ("keras.Sequential", "keras.models.Sequential", "keras.engine.sequential.Sequential")
FUNCTIONAL = ("keras.Model", "keras.models.Model", "keras.engine.training.Model")

#: What changes nothing about the numbers that a network gives.
TRANSPARENT = frozenset({"Reshape", "Flatten", "Identity"})
MOST_LAYERS = 400


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer, as it is made."""

    call: ast.Call
    kind: str
    activation: str  #: `none` for a layer without one, nothing when that is not known


@dataclass(frozen=True, slots=True)
class Network:
    """A model whose layers are written down one after the other."""

    layers: tuple[Layer, ...]
    compiled: tuple[ast.Call, ...]
    whole: bool  #: whether these are all its layers

    @property
    def last(self) -> Layer | None:
        """The layer that gives the result, before its activation and what only changes the shape."""
        found = (it for it in reversed(self.layers) if it.kind not in TRANSPARENT and it.kind not in ("Activation", "Softmax"))  # fmt: skip
        return next(found, None)

    @property
    def ends_with(self) -> str:
        """The activation of the result; `none` without one, nothing when it is not known."""
        for layer in reversed(self.layers):
            passing = layer.kind == "Activation" and layer.activation == "none"
            if layer.kind not in TRANSPARENT and not passing:
                return layer.activation
        return ""


class Networks:
    """The models of a file."""

    def __init__(
        self, tree: Tree, names: Names, origins: Origins, calls_of: Callable[[str], list[ast.Call]]
    ) -> None:
        self._tree = tree
        self._names = names
        self._origins = origins
        self._calls_of = calls_of
        self.every: tuple[Network, ...] = tuple(self._found())

    def _found(self) -> Iterator[Network]:
        for word in ("Sequential", "Model"):
            for call in self._calls_of(word):
                called = self._names.called(call.func)
                if called in SEQUENTIAL:
                    yield self._sequential(call)
                elif called in FUNCTIONAL:
                    yield self._functional(call)

    def _sequential(self, call: ast.Call) -> Network:
        given = argument_of(call, 0, "layers")
        whole = given is None or isinstance(given, ast.List | ast.Tuple)
        listed: list[ast.expr] = list(given.elts) if isinstance(given, ast.List | ast.Tuple) else []
        name = self._name_of(call)
        for add in self._methods("add", name, call) if name is not None else ():
            listed += add.args[:1]
            whole &= not self._tree.statement(add) or not self._is_conditional(add, call)
        layers = [self._layer(node) for node in listed]
        known = tuple(layer for layer in layers if layer is not None)
        return Network(known, self._compiled(call), whole and len(known) == len(layers))

    def _functional(self, call: ast.Call) -> Network:
        given = argument_of(call, 1, "outputs", "output")
        found: list[Layer] = []
        whole = False
        while given is not None and len(found) < MOST_LAYERS:
            roots = self._origins.roots(given)
            only = roots[0].node if len(roots) == 1 else None
            if not isinstance(only, ast.Call) or roots[0].frame is not None:
                break
            if last_name(only.func) in ("Input", "InputLayer"):
                whole = True
                break
            layer = self._layer(only.func)
            if layer is None:
                break
            found.append(layer)
            given = only.args[0] if len(only.args) == 1 else None
        return Network(tuple(found[::-1]), self._compiled(call), whole)

    def _layer(self, node: ast.expr) -> Layer | None:
        roots = self._origins.roots(node)
        only = roots[0].node if len(roots) == 1 else None
        called = self._names.called(only.func) if isinstance(only, ast.Call) else ""
        if not isinstance(only, ast.Call) or not called.startswith("keras."):
            return None
        return Layer(only, last_name(only.func), self._origins.activation_of_layer(only, roots[0].frame))  # fmt: skip

    def _name_of(self, call: ast.Call) -> ast.expr | None:
        above = self._tree.parent(call)
        target = above.targets[0] if isinstance(above, ast.Assign) and above.value is call else None
        return target if target is not None and key_of(target) else None

    def _methods(self, word: str, name: ast.expr, made: ast.Call) -> Iterator[ast.Call]:
        """The calls of a method of one model, and not of another that has the same name later."""
        function = self._tree.function(made)
        for call in self._calls_of(word):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None or key_of(owner) != key_of(name) or self._tree.function(call) is not function:  # fmt: skip
                continue
            bound = self._names.latest(owner, through_branches=True)
            if bound is not None and bound.value is made:
                yield call

    def _compiled(self, made: ast.Call) -> tuple[ast.Call, ...]:
        """Where the model is compiled: by its name, or by the name of what the function gives back that makes it."""
        found = []
        for call in self._calls_of("compile"):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            roots = self._origins.roots(owner)
            if len(roots) == 1 and roots[0].node is made:
                found.append(call)
        return tuple(found)

    def _is_conditional(self, node: ast.AST, made: ast.Call) -> bool:
        """Whether a layer is added in a branch or a loop that does not hold the model's making."""
        around = set(self._tree.ancestors(made))
        kinds = (ast.If, ast.For, ast.While, ast.Try)
        return any(isinstance(up, kinds) and up not in around for up in self._tree.ancestors(node))
