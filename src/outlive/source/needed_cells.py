"""Which cells to run again before another one: those that define what it uses, those that change it, and what these use in turn.

It is read from the text alone, so it may name a cell too many: one that only displays something through a method with arguments.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence

from outlive.source.syntax import parse

#: Nobody defines these in a cell; without this a star import would seem to be needed by every cell.
BUILTINS = frozenset(dir(builtins))


def needed_cells(earlier: Sequence[str], text: str) -> list[int]:
    """Give the indices of the cells that were run earlier and have to be run again before this text, in their order.

    All texts are Python, without magics. One that cannot be parsed was never run, and defines nothing.
    """
    cells = [names_of(cell) for cell in earlier]
    wanted = names_of(text)
    at_end = wanted.uses | wanted.uses_later if wanted else set()
    while (
        True
    ):  # a function finds what it uses when it is called: also what a cell below it defines
        found = _defining(cells, at_end)
        more = at_end.union(*(cell.uses_later for number, cell in enumerate(cells) if cell and number in found))  # fmt: skip
        if more == at_end:
            return found
        at_end = more


def _defining(cells: Sequence[CellNames | None], at_end: set[str]) -> list[int]:
    """Give the cells that these names come from, and what is used to define them."""
    modules = {name for cell in cells if cell for name in cell.imports}
    needed = set(at_end)
    found = []
    for number in range(len(cells) - 1, -1, -1):
        cell = cells[number]
        if cell is None:
            continue
        touched = cell.binds | cell.changes - modules
        if not needed & touched and not (cell.imports_all and needed - BUILTINS):
            continue
        found.append(number)
        needed = (needed - cell.binds) | cell.uses
    return found[::-1]


def names_of(text: str) -> CellNames | None:
    """Read the names of one cell; nothing for a text that is not Python."""
    try:
        module = parse(text)
        names = CellNames()
        names.read(module.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return names


class CellNames(ast.NodeVisitor):
    """The names that a cell takes from others, binds and changes, followed in the order in which Python runs it."""

    def __init__(self, bound: Iterable[str] = ()) -> None:
        self.uses: set[str] = set()
        self.binds = set(bound)
        self.changes: set[str] = set()
        self.imports: set[str] = set()
        self.imports_all = False
        self.declared_global: set[str] = set()
        self.uses_later: set[str] = set()  #: by a function, when it is called

    def read(self, body: Sequence[ast.AST]) -> None:
        """Follow these statements, or one expression."""
        for node in body:
            self.visit(node)
        self.uses_later -= self.binds

    def visit_Name(self, node: ast.Name) -> None:
        """A name is bound, or used."""
        if isinstance(node.ctx, ast.Store):
            self.binds.add(node.id)
        elif node.id not in self.binds:
            self.uses.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        """The value comes before the names."""
        self.visit_all(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """An annotation alone binds nothing."""
        self.visit_all(node.annotation, *([node.value, node.target] if node.value else []))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """The value comes before the name."""
        self.visit_all(node.value, node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """`x += 1` uses and changes what is there."""
        root = _root(node.target)
        if root and root not in self.binds:
            self.uses.add(root)
            self.changes.add(root)
        self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            self.generic_visit(node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """What is walked over comes first."""
        self.visit_all(node.iter, node.target, *node.body, *node.orelse)

    visit_AsyncFor = visit_For

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """`x[0] = 1` changes `x`."""
        self._changed(node)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """`x.y = 1` changes `x`."""
        self._changed(node)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """`x.append(1)` changes `x`; without arguments (`x.describe()`) it most often only shows."""
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            root = _root(call.func)
            if root and root not in self.binds and (call.args or call.keywords):
                self.changes.add(root)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        """`import a.b` binds `a`."""
        for alias in node.names:
            self._imported(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Which names a star brings, only its module knows."""
        for alias in node.names:
            if alias.name == "*":
                self.imports_all = True
            else:
                self._imported(alias.asname or alias.name)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A body runs when the function is called."""
        self.visit_all(*node.decorator_list, *_evaluated(node.args))
        self.binds.add(node.name)
        self._deferred(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """The same."""
        self.visit_all(*_evaluated(node.args))
        self._deferred(node.args, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A body runs at once; what it binds stays in the class."""
        self.visit_all(*node.decorator_list, *node.bases, *node.keywords)
        inner = CellNames()
        inner.read(node.body)
        self.uses |= inner.uses - self.binds
        self.uses_later |= inner.uses_later
        self.binds.add(node.name)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        """The names of a comprehension are its own."""
        self._comprehension(node.generators, [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        """The same."""
        self._comprehension(node.generators, [node.key, node.value])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """The name of an error is bound before its body."""
        if node.name:
            self.binds.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        """A pattern binds."""
        if node.name:
            self.binds.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_Global(self, node: ast.Global) -> None:
        """A function may bind a name of the notebook."""
        self.declared_global |= set(node.names)

    def visit_all(self, *nodes: ast.AST) -> None:
        """Follow these nodes, one after the other."""
        for node in nodes:
            self.visit(node)

    def _changed(self, node: ast.Subscript | ast.Attribute) -> None:
        root = _root(node)
        if root and not isinstance(node.ctx, ast.Load) and root not in self.binds:
            self.changes.add(root)

    def _imported(self, name: str) -> None:
        self.binds.add(name)
        self.imports.add(name)

    def _deferred(self, parameters: ast.arguments, body: Sequence[ast.AST]) -> None:
        inner = CellNames(word.arg for word in ast.walk(parameters) if isinstance(word, ast.arg))
        inner.read(body)
        self.changes |= inner.binds & inner.declared_global
        own = inner.binds - inner.declared_global
        self.uses_later |= (inner.uses | inner.uses_later) - own

    def _comprehension(
        self, generators: Sequence[ast.comprehension], results: Sequence[ast.expr]
    ) -> None:
        inner = CellNames(self.binds)
        for part in generators:
            inner.visit_all(part.iter, part.target, *part.ifs)
        inner.read(results)
        self.uses |= inner.uses
        self.uses_later |= inner.uses_later
        self.changes |= inner.changes


def _evaluated(parameters: ast.arguments) -> list[ast.expr]:
    """The defaults and annotations of a function, which are computed when it is defined."""
    written = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    written += [word for word in (parameters.vararg, parameters.kwarg) if word is not None]
    annotations = [word.annotation for word in written if word.annotation is not None]
    defaults = [value for value in (*parameters.defaults, *parameters.kw_defaults) if value]
    return [*defaults, *annotations]


def _root(node: ast.AST) -> str:
    """The name at the beginning of `x.y[0].z`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
