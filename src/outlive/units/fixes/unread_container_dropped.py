"""A container that nobody reads is no longer filled."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.parsed import key_of
from outlive.units.unit import fix

#: Methods that put something in, and give nothing back.
FILLING = frozenset({"append", "extend", "add", "appendleft", "insert", "update"})


@fix("F111", since="0.2", heals=("kept-in-container", "tape-kept-open"))
def unread_container_dropped(case: FixCase) -> Answer:
    """Elements that are never read are no longer kept.

    ## What it changes
    The line that fills the container is removed; where it calls something, the call stays.

    ## When it is offered
    The file only creates and fills the container, and at most takes its `len(…)`, which becomes a counter.

    ## What becomes of the results
    They stay the same: nothing reads what was kept.
    """
    statement = case.statement
    key, given = _filled(statement)
    if not key or statement is None or not case.stands_alone(statement):
        return None
    for use in _alike(case, key):
        if not (_is_made(case, use) or _fills(case, use)):
            return None
    kept = [word for word in given if any(isinstance(node, ast.Call) for node in ast.walk(word))]
    edit: Edit = case.without(statement)
    if kept:
        text = "; ".join(case.source.segment(word) for word in kept)
        edit = Edit(
            statement.lineno,
            statement.col_offset,
            statement.end_lineno or 0,
            statement.end_col_offset or 0,
            text,
        )
    return Patch(
        f"Keep nothing in `{key}`: it is filled, and never read in this file.",
        (edit,),
        results=_seen_elsewhere(case, key),
    )


def _seen_elsewhere(case: FixCase, key: str) -> str:
    """What another file may find: what belongs to a function, or to the script that was run, is read by nobody else."""
    owner, _, name = key.rpartition(".")
    if owner:
        return f"Where another file reads `{name}` of this object, it finds it empty."
    local = not isinstance(case.function, ast.Module) and any(
        isinstance(use, ast.Name) and case.source.names.bindings(use)[:1]
        and case.source.names.bindings(use)[0].scope is not case.source.tree.module
        for use in case.uses(key)
    )  # fmt: skip
    script = any(
        case.source.path.endswith(f"/{word}") or case.source.path == word
        for word in case.evidence.run.program.command
    )
    return "" if local or script else f"Where another file imports `{key}`, it finds it empty."


def _alike(case: FixCase, key: str) -> list[ast.expr]:
    """Every place where the name stands; of an attribute, that of any object: one has many names."""
    owner, _, name = key.rpartition(".")
    if not owner:
        return list(case.uses(key))
    return [node for node in case.source.every(ast.Attribute) if node.attr == name]


def _filled(statement: ast.stmt | None) -> tuple[str, list[ast.expr]]:
    """The name of what a statement fills, and with what."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr in FILLING:
            return _key(call.func.value), list(call.args)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Subscript):
            return _key(target.value), [target.slice, statement.value]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        return _key(statement.target), [statement.value]
    return "", []


def _key(node: ast.expr) -> str:
    return key_of(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _is_made(case: FixCase, use: ast.expr) -> bool:
    """`kept = []`, `kept = {}`, `kept = list()`."""
    above = case.source.tree.parent(use)
    if isinstance(above, ast.AnnAssign):
        return above.target is use
    if not isinstance(above, ast.Assign) or use not in above.targets:
        return False
    value = above.value
    empty = isinstance(value, ast.List | ast.Tuple | ast.Set) and not value.elts
    called = case.source.called(value.func) if isinstance(value, ast.Call) else ""
    made = called in (
        "builtins.list",
        "builtins.dict",
        "builtins.set",
        "collections.deque",
        "collections.defaultdict",
    )
    return empty or (isinstance(value, ast.Dict) and not value.keys) or made


def _fills(case: FixCase, use: ast.expr) -> bool:
    """A statement of its own that puts something in."""
    statement = case.source.tree.statement(use)
    key, given = _filled(statement)
    inside = {id(node) for word in given for node in ast.walk(word)}
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.value, ast.List):
        return False  # `total += x` may be a sum
    return bool(key) and id(use) not in inside
