"""A session that is closed after its last use."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import names_in
from outlive.units.unit import fix


@fix("F124", since="0.2", heals=("session-closed",))
def session_kept_open(case: FixCase) -> Answer:
    """The session is closed after its last use: the lines that use it move into its `with`, threads are joined before it is closed.

    ## What it changes
    Lines below `with tf.compat.v1.Session() as session:` that use the session move into the block; before
    `session.close()` each thread that was started in the same function is joined; a function that received the session
    no longer closes it if its creator does.

    ## When it is offered
    The session and its use stand in one block, or the threads have names there.

    ## What becomes of the results
    They stay the same.
    """
    return (
        _moved_in(case)
        or _closed_by_owner(case)
        or _joined(case)
        or _closed_later(case)
        or "the session is closed elsewhere"
    )


def _moved_in(case: FixCase) -> Patch | None:
    for outer in case.source.every(ast.With):
        item = outer.items[0]
        given = item.optional_vars if item.optional_vars is not None else item.context_expr
        name = given.id if isinstance(given, ast.Name) else ""
        blamed = outer.lineno == case.line and item.optional_vars is None
        if not name or not (blamed or "Session" in case.source.segment(item.context_expr)):
            continue
        block = case.block_of(outer)
        rest = block[block.index(outer) + 1 :]
        last = max(
            (i for i, part in enumerate(rest) if any(word.id == name for word in names_in(part))),
            default=-1,
        )
        if last >= 0:
            step = case.indent_of(outer.body[0]).removeprefix(case.indent_of(outer))
            return Patch(
                "Use the session before its `with` closes it.",
                case.indented(rest[: last + 1], step),
            )
    return None


def _closed_by_owner(case: FixCase) -> Patch | None:
    """A function that was handed the session closes it, although who made it closes it, too."""
    statement = case.statement
    call = statement.value if isinstance(statement, ast.Expr) else None
    if statement is None or not isinstance(call, ast.Call) or not case.stands_alone(statement):
        return None
    owner = getattr(call.func, "value", None)
    if not isinstance(owner, ast.Name) or getattr(call.func, "attr", "") != "close":
        return None
    bound = case.source.names.latest(owner)
    others = [
        other
        for other in case.source.methods("close")
        if other is not call
        and "Session" in case.source.values.made_by(getattr(other.func, "value", None))
    ]
    if bound is None or bound.how != "parameter" or not others:
        return None
    return Patch(
        "Let only the function that made the session close it.", (case.without(statement),)
    )


def _joined(case: FixCase) -> Patch | None:
    for call in case.source.methods("close"):
        statement = case.source.tree.parent(call)
        if not isinstance(statement, ast.Expr) or not case.stands_alone(statement):
            continue
        if "Session" not in case.source.values.made_by(getattr(call.func, "value", None)):
            continue
        function = case.source.tree.function(call) or case.source.tree.module
        started = [
            case.source.segment(other.func.value)
            for other in ast.walk(function)
            if isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute) and other.func.attr == "start"
            and isinstance(other.func.value, ast.Name) and other.lineno < call.lineno
        ]  # fmt: skip
        lines = [_join(case, name, function) for name in dict.fromkeys(started)]
        if lines and all(lines):
            joins = f"\n{case.indent_of(statement)}".join(lines)
            return Patch(
                "Wait for the threads before the session is closed.",
                (case.line_above(statement, joins),),
            )
    return None


def _join(case: FixCase, name: str, function: ast.AST) -> str:
    """How a thread is waited for: by its name, or all of the list that the loop walked over."""
    for loop in ast.walk(function):
        if (
            isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and loop.target.id == name
        ):
            if isinstance(loop.iter, ast.Name):
                return f"[{name}.join() for {name} in {loop.iter.id}]"
            return ""
    return f"{name}.join()"


def _closed_later(case: FixCase) -> Patch | None:
    """`session.close()` before a line of the same block that uses it: the close moves behind the last use."""
    for call in case.source.methods("close"):
        statement = case.source.tree.parent(call)
        owner = getattr(call.func, "value", None)
        if not isinstance(statement, ast.Expr) or not isinstance(owner, ast.Name):
            continue
        if "Session" not in case.source.values.made_by(owner) or not case.stands_alone(statement):
            continue
        block = case.block_of(statement)
        rest = block[block.index(statement) + 1 :]
        users = [part for part in rest if any(word.id == owner.id for word in names_in(part))]
        if users:
            return Patch(
                "Close the session after its last use.",
                (case.without(statement), case.line_below(users[-1], f"{owner.id}.close()")),
            )
    return None
