"""A container that keeps its newest elements only."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

#: Of the limit: what the list may take.
SHARE = 0.2

#: What is done with a list that a deque cannot do.
NOT_WITH_A_DEQUE = frozenset({"sort"})


@fix("F113", since="0.2", heals=("kept-in-container",))
def newest_kept(case: FixCase) -> Answer:
    """The container keeps as many of its newest elements as fit in a fifth of the limit.

    ## What it changes
    `x = []` or `x = deque()` becomes `x = collections.deque(maxlen=…)`; a dictionary drops its oldest entry when it is full.

    ## When it is offered
    The container is a dictionary, or the file makes the list in one place, fills it with `append`, and never takes
    slices of it. No better fix can be derived: only the author knows which elements are needed later.

    ## What becomes of the results
    Code that reads the container sees its newest elements only. The patch says so.
    """
    statement = case.statement
    if isinstance(statement, ast.Assign):
        return _dictionary(case, statement)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr != "append"
    ):
        return None
    if not isinstance(call.func.value, ast.Name | ast.Attribute):
        return None
    key = case.source.segment(call.func.value)
    bindings = case.source.names.bindings(call.func.value)
    made = bindings[0].value if len(bindings) == 1 else None
    if made is None or not _is_empty(case, made):
        return f"`{key}` is not created in one place of this file: keep only the part of each element that you need"
    for use in case.uses(key):
        above = case.source.tree.parent(use)
        sliced = isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Slice)
        sorted_ = isinstance(above, ast.Attribute) and above.attr in NOT_WITH_A_DEQUE
        joined = isinstance(above, ast.BinOp)
        if sliced or sorted_ or joined:
            return f"`{key}` is used as a list (slices, sort, +): keep only the part of each element that you need"
    most = _most(case)
    if not most:
        return "the size of its elements is not known"
    written, imports = case.imported("collections.deque")
    return Patch(
        f"Let `{key}` keep the newest {most} elements.",
        (*imports, case.replaced(made, f"{written}(maxlen={most})")),
        results=f"`{key}` holds the newest {most} elements instead of all: code that reads it sees only those.",
    )


def _is_empty(case: FixCase, made: ast.AST) -> bool:
    """An empty list, or a deque that is empty and has no bound."""
    if isinstance(made, ast.Call):
        return (
            case.source.called(made.func) == "collections.deque"
            and not made.args
            and not made.keywords
        )
    return isinstance(made, ast.List) and not made.elts


def _dictionary(case: FixCase, statement: ast.Assign) -> Answer:
    """`rows[key] = value`."""
    target, most = statement.targets[0], _most(case)
    if not isinstance(target, ast.Subscript) or not case.stands_alone(statement):
        return None
    if not isinstance(target.value, ast.Name | ast.Attribute) or not most:
        return None
    name, inner = case.source.segment(target.value), f"{case.indent_of(statement)}    "
    return Patch(
        f"Let `{name}` keep the newest {most} entries.",
        (
            case.line_above(
                statement, f"if len({name}) >= {most}:\n{inner}del {name}[next(iter({name}))]"
            ),
        ),
        results=f"`{name}` holds the newest {most} entries instead of all: code that reads it sees only those.",
    )


def _most(case: FixCase) -> int:
    room = case.evidence.memory.room()
    for holders in case.evidence.growth.holders.values():
        for holder in holders:
            if case.finding.says.startswith(holder.kept) and room and holder.counted:
                count = int(SHARE * room / max(1, holder.bytes / holder.counted))
                step = int("1" + "0" * max(0, len(str(count)) - 2))
                return count // step * step
    return 0
