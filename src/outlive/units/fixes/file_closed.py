"""A file that is closed when it has been used."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import names_in
from outlive.units.unit import fix

OPENERS = (
    "builtins.open", "io.open", "gzip.open", "bz2.open", "lzma.open", "PIL.Image.open", "h5py.File", "tarfile.open",
    "zipfile.ZipFile", "sqlite3.connect", "socket.socket", "socket.create_connection", "tf.io.gfile.GFile", "tf.io.TFRecordWriter",
    "numpy.load",
)  # fmt: skip


@fix("F122", since="0.2", heals=("too-many-open-files",))
def file_closed(case: FixCase) -> Answer:
    """The file is opened in a `with`, which closes it.

    ## What it changes
    `x = open(…)` becomes `with open(…) as x:`, and the lines below it that use `x` move into its block.

    ## When it is offered
    The file is opened by a statement of its own, and nothing but the lines below it in the same block uses it.

    ## What becomes of the results
    They stay the same.
    """
    statement = _opening(case)
    if statement is None:
        return "the line that opens the files and leaves them open was not found in this file"
    if isinstance(statement, ast.Assign):
        return _named(case, statement)
    return "the files are kept in a container: close each when it has been read, or open them one after the other"


def _opening(case: FixCase) -> ast.stmt | None:
    """The statement that opens: on the line, else the only one in a loop or in a function that is called."""
    opened = [call for call in case.calls() if case.source.called(call.func) in OPENERS]
    if not opened:
        opened = [
            call
            for call in case.source.calls(*OPENERS)
            if not isinstance(case.source.tree.parent(call), ast.withitem)
        ]
    statements = {id(one): one for call in opened if (one := case.source.tree.statement(call))}
    return next(iter(statements.values())) if len(statements) == 1 else None


def _named(case: FixCase, statement: ast.Assign) -> Answer:
    target, opened = statement.targets[0], statement.value
    if not case.stands_alone(statement) or len(statement.targets) != 1:
        return "the line does more than open the file"
    if (
        isinstance(target, ast.Name)
        and isinstance(opened, ast.Call)
        and case.source.called(opened.func) in OPENERS
    ):
        return _with_block(case, statement, target.id, opened)
    inner = [
        call
        for call in ast.walk(opened)
        if isinstance(call, ast.Call) and case.source.called(call.func) in OPENERS
    ]
    if len(inner) != 1:
        return "the line opens more than one file"
    return _inline(case, statement, inner[0])


def _inline(case: FixCase, statement: ast.stmt, opened: ast.Call) -> Answer:
    """`text = open(path).read()`."""
    indent = case.indent_of(statement)
    name = "opened"
    head = f"with {case.source.segment(opened)} as {name}:\n{indent}    "
    return Patch(
        "Close the file when it has been read.",
        (
            case.source.insertion(statement.lineno, statement.col_offset, head),
            case.replaced(opened, name),
        ),
    )


def _with_block(case: FixCase, statement: ast.Assign, name: str, opened: ast.Call) -> Answer:
    block = case.block_of(statement)
    rest = block[block.index(statement) + 1 :]
    last = max((i for i, part in enumerate(rest) if _reads(part, name)), default=-1)
    used = rest[: last + 1]
    if not used:
        return "nothing in this block reads the file"
    for part in used:
        for node in ast.walk(part):
            if _keeps(node, name):
                return f"`{name}` is used after this block: close each file when it has been read"
    front = Edit(statement.lineno, statement.col_offset, opened.lineno, opened.col_offset, "with ")
    return Patch(
        "Close the file when it has been used.",
        (front, case.behind(opened, f" as {name}:"), *case.indented(used)),
    )


def _reads(part: ast.stmt, name: str) -> bool:
    return any(word.id == name for word in names_in(part, ast.Load))


def _keeps(node: ast.AST, name: str) -> bool:
    """Whether something hands the file on to where it is kept: `return f`, `files.append(f)`, `self.f = f`."""
    if isinstance(node, ast.Return | ast.Yield):
        return getattr(node.value, "id", "") == name
    if isinstance(node, ast.Assign):
        return getattr(node.value, "id", "") == name
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    keeps = node.func.attr in ("append", "add", "insert", "appendleft", "setdefault")
    return keeps and any(getattr(word, "id", "") == name for word in node.args)
