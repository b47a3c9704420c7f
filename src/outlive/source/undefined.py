"""Names that nothing in a file binds: reading one is a `NameError`. Where the text may bind names that cannot be seen, nobody is accused."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Iterator, Sequence

from outlive.model.quick_dataclass import dataclass
from outlive.source.syntax import imported_by
from outlive.source.tree import Tree

#: What Python gives every module, and a class body.
GIVEN = frozenset(dir(builtins)) | {
    "__file__", "__builtins__", "__annotations__", "__path__", "__class__", "__module__", "__qualname__", "WindowsError",
}  # fmt: skip

#: What IPython gives the cells of a notebook.
IN_NOTEBOOKS = frozenset({"get_ipython", "display", "In", "Out"})

#: Magics that may bind names of the notebook: `%time x = load()`, `%%capture out`.
BINDING_MAGICS = frozenset({"run", "pylab", "load", "store", "time", "capture", "%capture", "sql", "%sql", "%bigquery", "R", "%R"})  # fmt: skip

#: Who uses one of these may bind names that are not written down.
BINDING_UNSEEN = frozenset({"exec", "globals", "vars", "__builtins__"})

#: Who catches one of these may have meant to.
CATCHING = frozenset({"NameError", "Exception", "BaseException"})

#: What these names stand for in nearly every program.
CUSTOMARY = {"np": "import numpy as np", "tf": "import tensorflow as tf", "pd": "import pandas as pd",
             "plt": "import matplotlib.pyplot as plt", "keras": "from tensorflow import keras"}  # fmt: skip

#: Modules of the standard library that are often used by their own name.
STANDARD = frozenset({"argparse", "collections", "csv", "datetime", "functools", "gc", "glob", "io", "itertools", "json", "logging",
                      "math", "os", "pathlib", "pickle", "random", "re", "shutil", "signal", "subprocess", "sys", "tempfile", "threading",
                      "time", "uuid", "warnings", "zipfile"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that is read and bound nowhere."""

    node: ast.Name
    statement: str = ""  #: the import that it is customarily made by
    nearest: str = ""  #: a name of the file that looks like it


def undefined_names(
    tree: Tree, *, notebook: bool = False, magics: frozenset[str] = frozenset()
) -> tuple[Undefined, ...]:
    """Find the first use of each name that no line of the file binds, in any scope."""
    if magics & BINDING_MAGICS:
        return ()
    names = tuple(tree.every(ast.Name))
    bound = set(_bound(tree, names))
    if "*" in bound or any(name.id in BINDING_UNSEEN for name in names):
        return ()
    known = bound | GIVEN | (IN_NOTEBOOKS if notebook else frozenset())
    first: dict[str, ast.Name] = {}
    for name in names:
        if name.id in known or name.id in first or not isinstance(name.ctx, ast.Load):
            continue
        if notebook and _is_of_history(name.id):
            continue
        if not _is_excused(tree, name):
            first[name.id] = name
    return tuple(_explained(name, bound) for name in first.values())


def _is_of_history(name: str) -> bool:
    """Tell whether a name is one by which IPython hands out earlier inputs and outputs: `_`, `__`, `_3`, `_i3`."""
    return name.startswith("_") and not name.strip("0123456789_i")


def _explained(name: ast.Name, bound: set[str]) -> Undefined:
    statement = CUSTOMARY.get(name.id) or (f"import {name.id}" if name.id in STANDARD else "")
    near = [] if statement else difflib.get_close_matches(name.id, bound, 1, 0.85)
    return Undefined(name, statement, near[0] if near else "")


def _bound(tree: Tree, names: Sequence[ast.Name]) -> Iterator[str]:
    """Give every name that any statement of the file binds, and `*` for an import of everything."""
    for name in names:
        if not isinstance(name.ctx, ast.Load):
            yield name.id
    for statement in tree.imports:
        yield from (name for name, _ in imported_by(statement))
    for defined in (*tree.functions, *tree.every(ast.ClassDef)):
        yield defined.name
        yield from (part.name for part in getattr(defined, "type_params", ()))
    for argument in tree.every(ast.arg):
        yield argument.arg
    for handler in tree.every(ast.ExceptHandler):
        yield handler.name or ""
    for of_module in tree.every(ast.Global):
        yield from of_module.names
    for of_function in tree.every(ast.Nonlocal):
        yield from of_function.names
    for captured in tree.every(ast.MatchAs):
        yield captured.name or ""
    for rest in tree.every(ast.MatchStar):
        yield rest.name or ""
    for mapping in tree.every(ast.MatchMapping):
        yield mapping.rest or ""


def _is_excused(tree: Tree, name: ast.Name) -> bool:
    """Whether the read is never made, or its error is expected: in an annotation, below `TYPE_CHECKING`, where `NameError` is caught."""
    below: ast.AST = name
    for above in tree.ancestors(name):
        if isinstance(above, ast.arg | ast.AnnAssign) and below is above.annotation:
            return True
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and below is above.returns:
            return True
        if isinstance(above, ast.If) and "TYPE_CHECKING" in ast.dump(above.test):
            return True
        if isinstance(above, ast.Try) and below in above.body and _catches(above):
            return True
        below = above
    return False


def _catches(statement: ast.Try) -> bool:
    for handler in statement.handlers:
        caught = ast.walk(handler.type) if handler.type is not None else ()
        names = {getattr(node, "id", getattr(node, "attr", "")) for node in caught}
        if handler.type is None or names & CATCHING:
            return True
    return False
