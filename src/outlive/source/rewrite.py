"""How the user's own lines would read after a remedy: what stands there, and what should. Pure; nothing is written.

The changed argument is found in the tree of the source, so strings, comments and other calls with the same words are left
alone; where two calls on the line fit, none is changed.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence

from outlive.model.findings import Change, Edit, Place, Remedy, Wrap
from outlive.model.quick_dataclass import dataclass
from outlive.source.calls import calls_at, given, is_open
from outlive.source.edits import apply_edits
from outlive.source.parsed import Source
from outlive.source.syntax import last_name, parse
from outlive.source.tree import Tree, tree_of

#: As Python's parser counts lines: a form feed does not end one.
END_OF_LINE = re.compile(r"\r\n|\r|\n")

#: A change that touches more than this is no change of a line any more.
MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Row:
    """A line that goes, or one that comes."""

    sign: str  #: ``-`` or ``+``
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The lines before and after one of the remedies."""

    remedy: int  #: which one, from 0
    file: str
    rows: tuple[Row, ...]

    @property
    def after(self) -> str:
        """What should stand there, to be copied."""
        return "\n".join(row.text for row in self.rows if row.sign == "+")


def rewriting(text: str, where: Place, remedies: Sequence[Remedy]) -> Rewriting | None:
    """Before and after, for the first remedy that says how; nothing when the text is not the one that was run."""
    lines = END_OF_LINE.split(text)
    if not 0 < where.line <= len(lines) or (
        where.code and where.code not in lines[where.line - 1].strip()
    ):
        return None
    tree = tree_of(text)
    for number, remedy in enumerate(remedies):
        after = _after(text, tree, where.line, remedy)
        if after is not None and after != text:
            rows = tuple(_rows(text, after))
            return Rewriting(number, where.file, rows) if len(rows) <= MOST_LINES else None
    return None


def _after(text: str, tree: Tree, line: int, remedy: Remedy) -> str | None:
    edits = edits_of(text, tree, line, remedy)
    if not edits:
        return None
    try:
        after = apply_edits(text, edits)
        parse(after)
    except (SyntaxError, ValueError, IndexError):
        return None
    return after


def edits_of(text: str, tree: Tree, line: int, remedy: Remedy) -> tuple[Edit, ...]:
    """Give the edits of the first change of a remedy that fits the source; else those that it brings itself."""
    found = (
        edits
        for change in remedy.changes
        if (
            edits := _wrapped(text, change)
            if isinstance(change, Wrap)
            else tuple(filter(None, [_edit(tree, line, change)]))
        )
    )
    return next(found, remedy.edits)


def _rows(before: str, after: str) -> Iterator[Row]:
    old, new = END_OF_LINE.split(before), END_OF_LINE.split(after)
    for tag, from_, to, new_from, new_to in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield from (Row("-", number + 1, old[number]) for number in range(from_, to))
            yield from (Row("+", number + 1, new[number]) for number in range(new_from, new_to))


def _edit(tree: Tree, line: int, change: Change) -> Edit | None:
    """The edit of the one call that fits, if there is one."""
    fitting = [
        edit for call in calls_at(tree, line, change.call) if (edit := _edit_of(call, change))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _wrapped(text: str, wrap: Wrap) -> tuple[Edit, ...]:
    """Brackets around an argument, where the program calls its function in one place only."""
    source = Source("", text, tree_of=tree_of)
    wraps = source.names.alias(wrap.within)
    defined = [node for node in source.tree.functions if node.name == wrap.function]
    if len(defined) != 1 or not wraps:
        return ()
    names = [word.arg for word in (*defined[0].args.posonlyargs, *defined[0].args.args)]
    called = {wrap.function, *_bound_to(source, wrap.function)}
    calls = [call for name in called for call in source.calls_ending_in(name)]
    if len(calls) != 1:
        return ()
    method = names[:1] in (["self"], ["cls"]) and isinstance(calls[0].func, ast.Attribute)
    place = names.index(wrap.argument) - method if wrap.argument in names else None
    found = given(calls[0], wrap.argument, place)
    if found is None:
        return ()
    end_line, end_column = found.end_lineno or 0, found.end_col_offset or 0
    return (
        Edit(found.lineno, found.col_offset, found.lineno, found.col_offset, f"{wraps}("),
        Edit(end_line, end_column, end_line, end_column, ")"),
    )


def _bound_to(source: Source, function: str) -> Iterator[str]:
    """Other names of a function: ``fast = tf.function(slow)``."""
    for call in source.calls("tf.function"):
        above = source.tree.parent(call)
        if isinstance(above, ast.Assign) and any(
            isinstance(word, ast.Name) and word.id == function for word in call.args[:1]
        ):
            yield from (name for target in above.targets if (name := last_name(target)))


def _edit_of(call: ast.Call, change: Change) -> Edit | None:
    if is_open(call):
        return None
    found = given(call, change.argument, change.place)
    if change.types:
        return _retyped(found, change) if found is not None else None
    if found is not None:
        return _instead_of(found, change.becomes)
    if change.place == 0 and not call.args and not call.keywords:
        line, column = call.end_lineno or 0, (call.end_col_offset or 1) - 1
        return Edit(line, column, line, column, change.becomes)  # before the closing bracket
    return None


def _retyped(word: ast.expr, change: Change) -> Edit | None:
    if isinstance(word, ast.Attribute) and word.attr in change.types:
        end = word.end_col_offset or 0
        width = len(word.attr.encode())
        at = word.end_lineno or 0
        return Edit(at, end - width, at, end, change.becomes)
    written = word.value if isinstance(word, ast.Constant) else getattr(word, "id", None)
    # a name of Python's own has no sibling of the wanted width: NumPy and TensorFlow take it as a text
    return _instead_of(word, f'"{change.becomes}"') if written in change.types else None


def _instead_of(word: ast.expr, text: str) -> Edit:
    return Edit(word.lineno, word.col_offset, word.end_lineno or 0, word.end_col_offset or 0, text)
