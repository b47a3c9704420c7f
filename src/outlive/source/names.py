"""What a name means: scopes, bindings, imports and aliases; `tf1.data.Dataset` is `tf.data.Dataset`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from outlive.model.quick_dataclass import dataclass
from outlive.source.syntax import Function, imported_by, names_in
from outlive.source.tree import COMPREHENSIONS, FUNCTIONS, Position, Tree, begin, end

#: Different names of one thing, so that a rule has to know one of them.
SAME = (
    ("tensorflow.compat.v1", "tensorflow"),
    ("tensorflow.compat.v2", "tensorflow"),
    ("tensorflow._api.v2", "tensorflow"),
    ("tensorflow.keras", "keras"),
    ("tf_keras", "keras"),
    ("keras.src", "keras"),
    ("keras.api", "keras"),
    ("tensorflow", "tf"),
    ("tf.compat.v1", "tf"),
    ("tf.keras", "keras"),
    ("multiprocess", "multiprocessing"),
)

#: What a name means that nobody imported: the line ends with NameError, and what it would make after that is worth knowing.
UNIMPORTED = {"np": "numpy"}

#: What makes another function of the same function.
WRAPPING = ("functools.partial", "tf.function")

#: A chain of aliases longer than this is a circle.
MAX_HOPS = 6


@lru_cache(maxsize=20_000)  # a module has few names and writes them often
def canonical(dotted: str) -> str:
    """The one name under which rules know a thing."""
    for other, name in SAME:
        if dotted == other or dotted.startswith(other + "."):
            dotted = name + dotted[len(other) :]
    return dotted


@dataclass(frozen=True, slots=True)
class Binding:
    """One place where a name gets a value."""

    how: str  #: import, assign, unpack, augment, for, with, parameter, definition, delete, other
    node: ast.AST
    scope: ast.AST
    value: ast.expr | None = None  #: what is bound, taken apart, walked over or entered
    dotted: str = ""  #: of an import
    at: Position = (0, 0)  #: from here on


class Names:
    """The names of a module, and what they are bound to."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._bindings: dict[ast.AST, dict[str, list[Binding]]] = {}
        self._meanings: dict[tuple[ast.AST, str], str] = {}
        self._called: dict[ast.Attribute, str] = {}
        for name, binding in self._all():
            self._bindings.setdefault(binding.scope, {}).setdefault(name, []).append(binding)
        for of_scope in self._bindings.values():
            for bindings in of_scope.values():
                bindings.sort(key=lambda binding: binding.at)

    def called(self, expression: ast.expr | None) -> str:
        """The canonical dotted name of `tf.data.Dataset`, whatever `tf` is called here; nothing if it is not a name."""
        if isinstance(expression, ast.Attribute):
            known = self._called.get(expression)
            if known is None:
                root = self.called(expression.value)
                known = canonical(f"{root}.{expression.attr}") if root else ""
                self._called[expression] = known
            return known
        if isinstance(expression, ast.Name):
            return self._meaning(expression.id, self._tree.scope(expression), MAX_HOPS)
        return ""

    def written(self, expression: ast.expr | None) -> str:
        """The dotted name as it was imported: `tensorflow.compat.v1.Session`, where `called` gives `tf.Session`."""
        if isinstance(expression, ast.Attribute):
            root = self.written(expression.value)
            return f"{root}.{expression.attr}" if root else ""
        if not isinstance(expression, ast.Name):
            return ""
        for scope in self._scopes(self._tree.scope(expression), expression.id):
            bindings = self._bindings[scope][expression.id]
            same = {it.dotted if it.how == "import" else "" for it in bindings}
            return same.pop() if len(same) == 1 else ""
        return ""

    def bindings(self, name: ast.expr) -> list[Binding]:
        """Where the name (`x` or `self.x`) gets its values, in the scope that it comes from; in the order of writing."""
        key = key_of(name)
        if not key:
            return []
        if "." in key:
            return self._of_object(key, name)
        for scope in self._scopes(self._tree.scope(name), key):
            return self._bindings[scope][key]
        return []

    def latest(self, name: ast.expr, *, through_branches: bool = False) -> Binding | None:
        """The binding that this use surely sees. One that was perhaps done in between makes it unsure, unless that does not matter."""
        at = begin(name)
        here = self._tree.scope(name)
        while isinstance(here, COMPREHENSIONS):
            here = self._tree.scope(here)
        bindings = self.bindings(name)
        for binding in reversed(bindings):
            if binding.how == "parameter" or isinstance(binding.scope, COMPREHENSIONS):
                return binding
            if binding.scope is not here:
                # another function's or the module's: it is clear only when it is the only one
                return binding if len(bindings) == 1 else None
            if binding.at > at:
                continue
            if self._tree.always_before(binding.node, name) or self._within(name, binding.node):
                comes_back = not through_branches and self._comes_back(name, binding, bindings)
                return None if comes_back else binding
            if not through_branches:
                return None
        return None

    def _comes_back(self, name: ast.expr, seen: Binding, bindings: list[Binding]) -> bool:
        """Whether the next turn of a loop sees another value: one that is bound further down in the loop."""
        others = [binding for binding in bindings if binding is not seen]
        for loop in self._tree.loops(name) if others else ():
            if loop is seen.node or self._within(seen.node, loop):
                return False
            if any(loop is it.node or self._within(it.node, loop) for it in others):
                return True
        return False

    def definition(
        self, name: ast.expr | None, hops: int = MAX_HOPS
    ) -> Function | ast.Lambda | None:
        """The function of this module that the name stands for."""
        if isinstance(name, ast.Lambda) or not hops:
            return name if isinstance(name, ast.Lambda) else None
        if isinstance(name, ast.Call) and self.called(name.func) in WRAPPING:
            return self.definition(name.args[0], hops - 1) if name.args else None
        if isinstance(name, ast.Attribute) and key_of(name).startswith(("self.", "cls.")):
            around = self._tree.class_of(name)
            methods = around.body if around else []
            return next(
                (
                    item
                    for item in methods
                    if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
                    and item.name == name.attr
                ),
                None,
            )
        if not isinstance(name, ast.Name):
            return None
        for binding in reversed(self.bindings(name)):
            if isinstance(binding.node, FUNCTIONS):
                return binding.node if binding.how == "definition" else None
            if isinstance(binding.value, ast.Lambda | ast.Call) and binding.how == "assign":
                found = self.definition(binding.value, hops - 1)
                if found is not None:
                    return found
        return None

    def imported(self) -> set[str]:
        """The canonical names of everything that is imported anywhere in the module."""
        return {
            canonical(binding.dotted)
            for of_scope in self._bindings.values()
            for bindings in of_scope.values()
            for binding in bindings
            if binding.how == "import"
        }

    def alias(self, dotted: str) -> str:
        """How this module writes something (`tf.data`), or nothing when it has no name for it at the top."""
        best = ""
        for name, bindings in self._bindings.get(self._tree.module, {}).items():
            for binding in bindings:
                meant = canonical(binding.dotted) if binding.how == "import" else ""
                if meant and (dotted == meant or dotted.startswith(meant + ".")):
                    written = name + dotted[len(meant) :]
                    best = min(filter(None, (best, written)), key=len)
        return best

    def _within(self, node: ast.AST, above: ast.AST) -> bool:
        return any(up is above for up in self._tree.ancestors(node))

    def _of_object(self, key: str, name: ast.expr) -> list[Binding]:
        """`self.x`: in this function, else in any method of the class."""
        function = self._tree.function(name)
        mine = self._bindings.get(function, {}).get(key, []) if function else []
        around = self._tree.class_of(name)
        if mine or around is None:
            return mine or self._bindings.get(self._tree.scope(name), {}).get(key, [])
        found: list[Binding] = []
        for scope, of_scope in self._bindings.items():
            if key in of_scope and self._tree.class_of(scope) is around:
                found += of_scope[key]
        return found

    def _scopes(self, scope: ast.AST, key: str) -> Iterator[ast.AST]:
        """The scopes that bind a name, seen from one of them outwards."""
        first = True
        while True:
            if key in self._bindings.get(scope, {}) and (
                first or not isinstance(scope, ast.ClassDef)
            ):
                yield scope
            if scope is self._tree.module:
                return
            scope, first = self._tree.scope(scope), False

    def _meaning(self, name: str, scope: ast.AST, hops: int) -> str:
        known = self._meanings.get((scope, name))
        if known is None:
            known = self._meanings[scope, name] = self._look_up(name, scope, hops)
        return known

    def _look_up(self, name: str, scope: ast.AST, hops: int) -> str:
        for binder in self._scopes(scope, name):
            bindings = self._bindings[binder][name]
            imports = [binding for binding in bindings if binding.how == "import"]
            if imports and all(binding.how in ("import", "assign") for binding in bindings):
                return canonical(imports[0].dotted)
            only = bindings[0]
            if len(bindings) == 1 and only.how == "assign" and hops:
                return self._alias_of(only, binder, hops)
            return ""
        return UNIMPORTED.get(name, f"builtins.{name}")

    def _alias_of(self, binding: Binding, scope: ast.AST, hops: int) -> str:
        """`layers = tf.keras.layers`."""
        value, tail = binding.value, ""
        while isinstance(value, ast.Attribute):
            tail = f".{value.attr}{tail}"
            value = value.value
        if not isinstance(value, ast.Name):
            return ""
        root = self._meaning(value.id, scope, hops - 1)
        return canonical(root + tail) if root and not root.startswith("builtins.") else ""

    def _all(self) -> Iterator[tuple[str, Binding]]:
        tree = self._tree
        for statement in tree.imports:
            for bound, dotted in imported_by(statement):
                yield bound, Binding("import", statement, tree.scope(statement), dotted=dotted)
        for assign in tree.every(ast.Assign):
            for target in assign.targets:
                yield from self._targets(target, assign, assign.value, end(assign))
        singles: list[ast.AnnAssign | ast.NamedExpr] = [*tree.every(ast.AnnAssign)]
        for single in (*singles, *tree.every(ast.NamedExpr)):
            if single.value is not None:
                yield from self._targets(single.target, single, single.value, end(single))
        for more in tree.every(ast.AugAssign):
            yield from self._targets(more.target, more, more.value, end(more), "augment")
        loops: list[ast.For | ast.AsyncFor] = [*tree.every(ast.For), *tree.every(ast.AsyncFor)]
        for loop in loops:
            yield from self._targets(loop.target, loop, loop.iter, end(loop.target), "for")
        for part in tree.every(ast.comprehension):
            around = tree.parent(part) or tree.module
            for name in names_in(part.target):
                yield name.id, Binding("for", part, around, part.iter)
        withs: list[ast.With | ast.AsyncWith] = [*tree.every(ast.With)]
        for entered in (*withs, *tree.every(ast.AsyncWith)):
            for opened in entered.items:
                if opened.optional_vars is not None:
                    at, value = end(opened.optional_vars), opened.context_expr
                    yield from self._targets(opened.optional_vars, entered, value, at, "with")
        yield from self._definitions()
        for gone in tree.every(ast.Delete):
            for target in gone.targets:
                yield from self._targets(target, gone, None, end(gone), "delete")

    def _definitions(self) -> Iterator[tuple[str, Binding]]:
        tree = self._tree
        for defined in (*tree.functions, *tree.every(ast.ClassDef)):
            scope = tree.scope(defined)
            yield defined.name, Binding("definition", defined, scope, at=begin(defined))
        for function in (*tree.functions, *tree.every(ast.Lambda)):
            for word in ast.walk(function.args):
                if isinstance(word, ast.arg):
                    yield word.arg, Binding("parameter", word, function, word.annotation)
        for handler in tree.every(ast.ExceptHandler):
            if handler.name:
                scope = tree.scope(handler)
                yield handler.name, Binding("other", handler, scope, at=begin(handler))

    def _targets(
        self,
        target: ast.expr,
        node: ast.AST,
        value: ast.expr | None,
        at: Position,
        how: str = "assign",
    ) -> Iterator[tuple[str, Binding]]:
        if isinstance(target, ast.Tuple | ast.List):
            parts: list[ast.expr | None] = [None] * len(target.elts)
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parts):
                parts = list(value.elts)
            for item, part in zip(target.elts, parts, strict=True):
                if part is not None and how == "assign":
                    yield from self._targets(item, node, part, at)
                else:
                    taken_apart = "unpack" if how == "assign" else how
                    yield from self._targets(item, node, value, at, taken_apart)
            return
        if isinstance(target, ast.Starred):
            target = target.value
        key = key_of(target)
        if key:
            yield key, Binding(how, node, self._tree.scope(node), value, at=at)


def key_of(expression: ast.expr) -> str:
    """`x` or `self.x`: what can be bound and found again; nothing for anything longer."""
    if isinstance(expression, ast.Name):
        return expression.id
    if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        return f"{expression.value.id}.{expression.attr}"
    return ""
