"""View: a finding, the evidence that it rests on, and the source that it is about; what fixes are asked of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from outlive.model.evidence import Evidence
from outlive.model.findings import Edit, Finding, Remedy
from outlive.model.quick_dataclass import dataclass
from outlive.source.calls import calls_at, given
from outlive.source.parsed import Source, key_of
from outlive.source.rewrite import edits_of
from outlive.source.syntax import last_name, names_in
from outlive.source.tree import Loop


@dataclass(frozen=True)
class FixCase:
    """One finding in one of the user's files. Whatever it gives is found in the tree of that file."""

    finding: Finding
    evidence: Evidence
    source: Source
    line: int  #: of the finding, in the text of ``source``

    @property
    def statement(self) -> ast.stmt | None:
        """The statement that the finding is about."""
        return self.source.tree.statement_at(self.line)

    @property
    def function(self) -> ast.AST:
        """The function around the finding, or the module."""
        return self.source.tree.function_at(self.line) or self.source.tree.module

    @property
    def loop(self) -> Loop | None:
        """The innermost loop that runs the line, within its function."""
        statement = self.statement
        return next(self.source.tree.loops(statement), None) if statement is not None else None

    def calls(self, *names: str) -> list[ast.Call]:
        """The calls on the line: all, or those that end in one of these names."""
        if not names:
            return calls_at(self.source.tree, self.line)
        return [call for name in names for call in calls_at(self.source.tree, self.line, name)]

    def argument(self, call: ast.Call, name: str, place: int | None = None) -> ast.expr | None:
        """What a call is given, by its name or place; nothing where it takes ``*words``."""
        return given(call, name, place)

    def by_remedy(self) -> tuple[Edit, ...]:
        """The edits of the first remedy of the finding that says how the line would read."""
        return next((edits for one in self.finding.remedies if (edits := self.edits_of(one))), ())

    def edits_of(self, remedy: Remedy) -> tuple[Edit, ...]:
        """The edits of one remedy."""
        return edits_of(self.source.text, self.source.tree, self.line, remedy)

    def names_at_line(self) -> list[ast.Name]:
        """The plain names that the statement reads, in the order in which they are written."""
        statement = self.statement
        found = names_in(statement, ast.Load) if statement is not None else ()
        return sorted(found, key=lambda name: (name.lineno, name.col_offset))

    def uses(self, key: str) -> Iterator[ast.expr]:
        """Every place where `x` or `self.x` stands in the file, bound or read."""
        kinds = (ast.Attribute,) if "." in key else (ast.Name,)
        for node in self.source.tree.every(*kinds):
            if isinstance(node, ast.Name | ast.Attribute) and key_of(node) == key:
                yield node

    def replaced(self, node: ast.expr, text: str) -> Edit:
        """Write something else in the place of an expression."""
        return self.source.replacement(node, text)

    def around(self, node: ast.expr, before: str, after: str) -> tuple[Edit, Edit]:
        """Put something before and behind an expression."""
        end = node.end_lineno or 0, node.end_col_offset or 0
        return (
            self.source.insertion(node.lineno, node.col_offset, before),
            self.source.insertion(*end, after),
        )

    def behind(self, node: ast.expr, text: str) -> Edit:
        """Put something behind an expression."""
        return self.source.insertion(node.end_lineno or 0, node.end_col_offset or 0, text)

    def one_argument_more(self, call: ast.Call, text: str) -> Edit:
        """Give a call one more argument, behind the others."""
        words: list[ast.expr] = [*call.args, *(word.value for word in call.keywords)]
        if words:
            last = max(words, key=lambda word: (word.end_lineno or 0, word.end_col_offset or 0))
            if not (len(words) == 1 and isinstance(last, ast.GeneratorExp)):
                return self.behind(last, f", {text}")
        line, column = call.end_lineno or 0, (call.end_col_offset or 1) - 1
        return self.source.insertion(line, column, text)

    def text_of(self, statement: ast.stmt) -> str:
        """The whole lines of a statement, with the end of the last."""
        first, last = self._first_line(statement), statement.end_lineno or statement.lineno
        return "".join(f"{line}\n" for line in self.source.lines[first - 1 : last])

    def without(self, statement: ast.stmt) -> Edit:
        """Take the whole lines of a statement away; where its block would be empty, leave ``pass``."""
        first, last = self._first_line(statement), statement.end_lineno or statement.lineno
        if not self._has_siblings(statement):
            return Edit(first, statement.col_offset, last, statement.end_col_offset or 0, "pass")
        return (
            Edit(first, 0, last + 1, 0, "")
            if last < len(self.source.lines)
            else self._cut(first, last)
        )

    def line_above(self, statement: ast.stmt, text: str) -> Edit:
        """Put a line above a statement, indented as it is."""
        first = self._first_line(statement)
        indent = self.indent_of(statement)
        return self.source.insertion(first, 0, f"{indent}{text}\n")

    def line_below(self, statement: ast.stmt, text: str) -> Edit:
        """Put a line below a statement, indented as it is."""
        end = statement.end_lineno or statement.lineno, statement.end_col_offset or 0
        return self.source.insertion(*end, f"\n{self.indent_of(statement)}{text}")

    def indented(self, statements: Sequence[ast.stmt], step: str = "    ") -> tuple[Edit, ...]:
        """Move whole statements one step to the right, but for the lines within a text."""
        first = self._first_line(statements[0])
        last = statements[-1].end_lineno or statements[-1].lineno
        within = {
            line
            for part in statements
            for node in ast.walk(part)
            if isinstance(node, ast.Constant | ast.JoinedStr)
            for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
        }
        return tuple(
            self.source.insertion(number, 0, step)
            for number in range(first, last + 1)
            if self.source.lines[number - 1].strip() and number not in within
        )

    def indent_of(self, statement: ast.stmt) -> str:
        """The white space before a statement."""
        line = self.source.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that a statement is one of."""
        above = self.source.tree.parent(statement)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def stands_alone(self, statement: ast.stmt) -> bool:
        """Whether a statement shares none of its lines with another: no `if x: y`, no `a; b`."""
        last = statement.end_lineno or statement.lineno
        front = self.source.lines[statement.lineno - 1].encode()[: statement.col_offset].strip()
        back = self.source.lines[last - 1].encode()[statement.end_col_offset or 0 :].strip()
        return not front and (not back or back.startswith(b"#"))

    def imported(self, dotted: str) -> tuple[str, tuple[Edit, ...]]:
        """How the file may write a thing of a module, and the import that it needs for it."""
        written = self.source.names.alias(dotted)
        if written:
            return written, ()
        if dotted.startswith("tf."):
            dotted = f"tensorflow.{dotted.removeprefix('tf.')}"
        module = (
            dotted.partition(".")[0]
            if dotted.startswith("tensorflow.")
            else dotted.rpartition(".")[0]
        )
        line = self._line_for_an_import()
        return dotted, (self.source.insertion(line, 0, f"import {module}\n"),)

    def changes_in(self, loop: ast.AST) -> frozenset[str]:
        """The names that something in a loop binds."""
        found = {name.id for name in names_in(loop, ast.Store)}
        found |= {
            f"{node.value.id}.{node.attr}"
            for node in ast.walk(loop)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
        }
        return frozenset(found)

    def calls_in(self, node: ast.AST, *names: str) -> Iterator[ast.Call]:
        """The calls below a node that end in one of these names."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and last_name(inner.func) in names:
                yield inner

    def _line_for_an_import(self) -> int:
        """Above the first import of a module; never above one from the future or the docstring."""
        module = self.source.tree.module
        for statement in module.body:
            of_the_future = (
                isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            )
            if isinstance(statement, ast.Import | ast.ImportFrom) and not of_the_future:
                return statement.lineno
        return module.body[0].lineno if module.body else 1

    def _has_siblings(self, statement: ast.stmt) -> bool:
        return len(self.block_of(statement)) > 1

    def _cut(self, first: int, last: int) -> Edit:
        width = len(self.source.lines[last - 1].encode())
        return Edit(first, 0, last, width, "")

    def _first_line(self, statement: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *(int(word.lineno) for word in decorators)])
