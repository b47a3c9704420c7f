"""A parsed module with ways up: who is whose parent, which loop, function or block a node stands in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TypeVar

from outlive.source.syntax import LOOPS, NAMED_FUNCTIONS, Assignment, Function, Import, parse, spans

Node = TypeVar("Node", bound=ast.AST)
Loop = ast.For | ast.AsyncFor | ast.While
Position = tuple[int, int]

FUNCTIONS = (*NAMED_FUNCTIONS, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPE_TYPES = frozenset({*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef, ast.Module})

#: Statements whose blocks may be left out, or done in part.
BRANCHES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.ExceptHandler, ast.Match, ast.match_case,
    getattr(ast, "TryStar", ast.Try),
)  # fmt: skip

#: The deepest module of the standard library has 33; what asks a tree may call itself as often.
MOST_DEPTH = 120

#: Fields that hold words, numbers and signs; nobody asks for the parent of these.
WORDS = frozenset(
    {
        "id", "attr", "ctx", "op", "ops", "name", "names", "asname", "module", "level", "kind", "type_comment", "is_async",
        "simple", "conversion", "arg", "rest", "kwd_attrs", "type_ignores", "tag", "str", "type_params",
    }
)  # fmt: skip


class _Below(dict[type, tuple[str, ...]]):
    """The fields of a type of node in which there are other nodes."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields: tuple[str, ...] = getattr(kind, "_fields", ())
        plain = kind in (ast.Constant, ast.MatchSingleton)
        self[kind] = () if plain else tuple(name for name in fields if name not in WORDS)
        return self[kind]


BELOW = _Below()


class Tree:
    """One pass over the module: parents, and the nodes of each type. All else is asked when it is needed."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self._parents: dict[ast.AST, ast.AST] = {}
        self._of_type: dict[type, list[ast.AST]] = {}
        self._scopes: dict[ast.AST, ast.AST] = {}
        parents, of_type = self._parents, self._of_type
        self.depth = 0  #: how deep the nodes lie in each other
        level: list[ast.AST] = [module]
        # ``ast.walk`` with parents would take three times as long; this pass is most of what a file costs.
        while level:
            self.depth += 1
            waiting: list[ast.AST] = []
            for node in level:
                kind = node.__class__
                if kind in of_type:
                    of_type[kind].append(node)
                else:
                    of_type[kind] = [node]
                for name in BELOW[kind]:
                    value = getattr(node, name, None)
                    if value.__class__ is list:
                        for item in value:
                            if item is not None:
                                parents[item] = node
                                waiting.append(item)
                    elif value is not None:
                        parents[value] = node
                        waiting.append(value)
            level = waiting

    def every(self, *kinds: type[Node]) -> Iterator[Node]:
        """The nodes of these types, in the order in which they are written."""
        found = [node for kind in kinds for node in self._of_type.get(kind, ())]
        yield from sorted(found, key=begin)  # type: ignore[misc]  # filed under their own type

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The functions that have a name, in the order in which they are written."""
        return tuple(self.every(*NAMED_FUNCTIONS))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports: those of modules, then those from modules."""
        return (*self.every(ast.Import), *self.every(ast.ImportFrom))

    @cached_property
    def assignments(self) -> tuple[Assignment, ...]:
        """What binds a name by ``=`` or one of its kin, in the order in which it is written."""
        kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
        return tuple(node for node in self.every(*kinds) if isinstance(node, kinds))

    @cached_property
    def statements(self) -> tuple[ast.stmt, ...]:
        """All statements, in the order in which they are written."""
        return tuple(self.every(*(kind for kind in self._of_type if issubclass(kind, ast.stmt))))

    @cached_property
    def returns(self) -> dict[Function | ast.Lambda | None, list[ast.Return]]:
        """Of each function, where it returns."""
        found: dict[Function | ast.Lambda | None, list[ast.Return]] = {}
        for node in self.every(ast.Return):
            found.setdefault(self.function(node), []).append(node)
        return found

    def function_at(self, line: int) -> Function | None:
        """The innermost function with a name that a line belongs to."""
        around = (function for function in self.functions if spans(function, line))
        return max(around, key=lambda function: function.lineno, default=None)

    def function_name_at(self, line: int) -> str:
        """The name that Python gives to the frame in which a line runs."""
        function = self.function_at(line)
        return function.name if function is not None else "<module>"

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that a line belongs to."""
        around = (statement for statement in self.statements if spans(statement, line))
        return min(around, key=lambda it: (it.end_lineno or 0) - it.lineno, default=None)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around this one."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """From the parent up to the module."""
        above = self._parents.get(node)
        while above is not None:
            yield above
            above = self._parents.get(above)

    def scope(self, node: ast.AST) -> ast.AST:
        """The function, class, comprehension or module whose names this node sees."""
        # Remembered on the way up: the names of a module ask for every node of it, and lint asked four times as long without.
        scopes, parents = self._scopes, self._parents
        asked: list[ast.AST] = []
        found = scopes.get(node)
        while found is None:
            asked.append(node)
            above = parents.get(node)
            if above is None:
                found = self.module
            elif above.__class__ in SCOPE_TYPES and not _seen_from_outside(node, above):
                found = above
            else:
                node = above
                found = scopes.get(node)
        for below in asked:
            scopes[below] = found
        return found

    def function(self, node: ast.AST) -> Function | ast.Lambda | None:
        """The function in whose body the node stands."""
        below = node
        for above in self.ancestors(node):
            if isinstance(above, FUNCTIONS) and not _seen_from_outside(below, above):
                return above
            below = above
        return None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around the node."""
        return next((up for up in self.ancestors(node) if isinstance(up, ast.ClassDef)), None)

    def loops(self, node: ast.AST) -> Iterator[Loop]:
        """The loops that repeat this node, the innermost first, within its function."""
        below = node
        for above in self.ancestors(node):
            if isinstance(above, FUNCTIONS) and not _seen_from_outside(below, above):
                return
            if isinstance(above, LOOPS):
                again = below in above.body or (
                    isinstance(above, ast.While) and below is above.test
                )
                if again and not _leaves(above.body):
                    yield above
            below = above

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that the node is part of."""
        while not isinstance(node, ast.stmt):
            above = self._parents.get(node)
            if above is None:
                return None
            node = above
        return node

    def always_before(self, earlier: ast.AST, later: ast.AST) -> bool:
        """Whether what is written earlier has surely been done when the later node is reached, in the same scope."""
        if begin(earlier) >= begin(later):
            return False
        above_later = {later, *self.ancestors(later)}
        below = earlier
        for above in self.ancestors(earlier):
            if above in above_later:
                return not isinstance(above, BRANCHES) or _same_block(above, below, above_later)
            if isinstance(above, BRANCHES):
                return False
            below = above
        return True

    def inside(self, node: ast.AST, kind: type[Node]) -> Iterator[Node]:
        """The nodes of one type below this one."""
        for found in ast.walk(node):
            if isinstance(found, kind):
                yield found


def new_tree(text: str) -> Tree:
    """The tree of a text; it raises as `parse` does. However deep it is: lint asks each rule apart, and says which one could not follow."""
    return Tree(parse(text))


@lru_cache(maxsize=64)
def tree_of(text: str) -> Tree:
    """The tree of a text, made once; an empty one when it is not Python, or is nested deeper than anybody writes."""
    try:
        tree = new_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Tree(ast.Module([], []))
    return tree if tree.depth <= MOST_DEPTH else Tree(ast.Module([], []))


def begin(node: ast.AST) -> Position:
    """Line and column of a node; a module begins before everything."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def end(node: ast.AST) -> Position:
    """Line and column after a node."""
    return getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0


def _seen_from_outside(below: ast.AST, above: ast.AST) -> bool:
    """Decorators, defaults and bases are worked out where a function or class is defined, not within it."""
    if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
        return below is above.args or below is above.returns or below in above.decorator_list
    if isinstance(above, ast.ClassDef):
        return below in above.decorator_list or below in above.bases or below in above.keywords
    if isinstance(above, ast.Lambda):
        return below is above.args
    return False


def _same_block(above: ast.AST, below: ast.AST, above_later: set[ast.AST]) -> bool:
    """Whether both ways down from a branching statement go through the same of its blocks."""
    for name in ("body", "orelse", "handlers", "finalbody", "cases"):
        block = getattr(above, name, ())
        if isinstance(block, list) and below in block:
            return any(node in above_later for node in block)
    return True  # the test or the iterable: done before any block


def _leaves(body: list[ast.stmt]) -> bool:
    """A loop whose body always ends by leaving turns only once."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Break | ast.Raise)
