"""Can the main module of a program be imported again in each worker, as spawn does it, and be the same there? Read from its source. Pure.

A fork hands over everything that the main process has made; spawn hands over the arguments alone, and what importing the file makes. So
nothing may run that is not meant for every worker, and no worker may read what the main process has changed meanwhile. Where that cannot be
told, the answer is no.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.source.syntax import first_name, imported_by, names_in, spans
from outlive.source.tree import FUNCTIONS, Tree, tree_of

#: What gives the same value whenever it is called, or one that each process wants for itself.
PLAIN_CALLS = (
    "threading.", "logging.getLogger", "pathlib.", "re.compile", "os.path.", "os.environ.get", "os.getenv", "os.cpu_count",
    "math.", "tensorflow.constant", "typing.", "collections.namedtuple",
)  # fmt: skip
PLAIN_BUILTINS = frozenset(
    {"frozenset", "tuple", "int", "float", "str", "bool", "bytes", "range", "len", "min", "max"}
)

#: Settings: each process wants them.
SETTINGS = (
    "tensorflow.config.", "tensorflow.random.set_seed", "tensorflow.get_logger", "keras.utils.", "keras.mixed_precision.",
    "logging.", "warnings.", "numpy.random.seed", "numpy.set_printoptions", "random.seed", "sys.path.", "os.environ.",
    "faulthandler.",
)  # fmt: skip

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)
CHANGING = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard", "clear", "sort", "reverse"}
)  # fmt: skip


def why_not(text: str, line: int) -> str:
    """Why this module, whose ``line`` led to the workers, must not be imported again in each of them; empty when it may."""
    tree = tree_of(text)
    body = tree.module.body
    if not body:
        return "its main module could not be read"
    guards = [node for node in body if _is_guard(node)]
    if not any(spans(guard, line) for guard in guards):
        return (
            f'line {line} is not below `if __name__ == "__main__"`: each worker would run it again'
        )
    module = _Module(tree)
    for node in body:
        if not _is_guard(node) and not module.is_harmless(node):
            return f'line {node.lineno} is not below `if __name__ == "__main__"`: each worker would run it again'
    for name, where in module.changed(guards):
        return f"`{name}` is changed in the main process (line {where}), and workers that are not forked would not see it"
    return ""


class _Module:
    """A parsed file, with the names that its imports bind."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._imported = dict(pair for node in tree.imports for pair in imported_by(node))

    def is_harmless(self, node: ast.stmt) -> bool:
        """Whether each worker may run this statement of the module's, and has the same afterwards."""
        if isinstance(node, DEFINITIONS):
            return True
        if isinstance(node, ast.ClassDef):
            return all(self.is_harmless(inner) for inner in node.body)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            return node.value is None or self._is_plain(node.value)
        if isinstance(node, ast.Expr):
            value = node.value
            if isinstance(value, ast.Call):
                return self._name(value.func).startswith(SETTINGS)
            return isinstance(value, ast.Constant)
        return False

    def _is_plain(self, value: ast.expr) -> bool:
        for node in ast.walk(value):
            if isinstance(node, ast.Call):
                name = self._name(node.func)
                if not (name in PLAIN_BUILTINS or name.startswith(PLAIN_CALLS)):
                    return False
            elif isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
                return False
        return True

    def _name(self, func: ast.expr) -> str:
        parts: list[str] = []
        while isinstance(func, ast.Attribute):
            parts.append(func.attr)
            func = func.value
        if not isinstance(func, ast.Name):
            return ""
        return ".".join([self._imported.get(func.id, func.id), *reversed(parts)])

    def changed(self, guards: list[ast.stmt]) -> Iterator[tuple[str, int]]:
        """Names of the module's that a function reads and that something changes after the import, each with the line that does."""
        read = {
            name.id
            for function in self._tree.every(*FUNCTIONS)
            for name in names_in(function, ast.Load)
        }
        for name, line in self._changes(guards):
            if name in read:
                yield name, line

    def _changes(self, guards: list[ast.stmt]) -> Iterator[tuple[str, int]]:
        made = {
            name.id
            for statement in self._tree.module.body
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            for name in names_in(statement, ast.Store)
        }
        for guard in guards:
            yield from ((name.id, name.lineno) for name in names_in(guard, ast.Store))
        for node in ast.walk(self._tree.module):
            if isinstance(node, ast.Global):
                for name in node.names:
                    yield name, node.lineno
            elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(
                node.ctx, ast.Load
            ):
                if (root := first_name(node)) in made:
                    yield root, node.lineno
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in CHANGING
                and (root := first_name(node.func)) in made
            ):
                yield root, node.lineno


def _is_guard(node: ast.stmt) -> bool:
    """``if __name__ == "__main__":`` without an ``else``."""
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.Compare):
        return False
    test = node.test
    sides = [test.left, *test.comparators]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    texts = [side.value for side in sides if isinstance(side, ast.Constant)]
    return names == ["__name__"] and texts == ["__main__"] and isinstance(test.ops[0], ast.Eq)
