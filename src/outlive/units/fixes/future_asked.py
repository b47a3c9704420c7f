"""A task of an executor that is asked for its result."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F123", since="0.2", heals=("background-error-lost", "exited-by-program"))
def future_asked(case: FixCase) -> Answer:
    """The result of each task of the executor is retrieved, so that its error is seen.

    ## What it changes
    The future of a `pool.submit(…)` that stands alone is kept in a list, and `result()` is called on each where the
    executor ends. Futures that are kept already get the same call there. A `pool.map(…)` that nobody reads becomes
    `list(pool.map(…))`.

    ## When it is offered
    The result of the task is thrown away.

    ## What becomes of the results
    The program ends with the error of the task instead of continuing without its result. The patch says so.
    """
    if case.finding.slug != "background-error-lost":
        return None
    for call in case.source.calls_ending_in("submit"):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is not None and _is_an_executor(case, owner) and _kept_in(case, call):
            return _asked_later(case, call, _kept_in(case, call))
    for call in case.source.every(ast.Call):
        statement = case.source.tree.parent(call)
        if not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr == "map" and _is_an_executor(case, call.func.value):
            return _patch(case.around(call, "list(", ")"))
        if call.func.attr == "submit" and _is_an_executor(case, call.func.value):
            return _collected(case, call, statement)
    return "the task whose error was lost is not started by `submit` or `map` in this file"


def _is_an_executor(case: FixCase, name: ast.expr) -> bool:
    return "Executor" in case.source.values.made_by(name)


def _kept_in(case: FixCase, call: ast.Call) -> str:
    """The list or the name that a future is kept in: `futures = [pool.submit(…) for …]`, `futures.append(pool.submit(…))`."""
    statement = case.source.tree.statement(call)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        known = statement.value is call or (
            isinstance(statement.value, ast.ListComp) and statement.value.elt is call
        )
        return target.id if isinstance(target, ast.Name) and known else ""
    above = case.source.tree.parent(call)
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
        kept = above.func.value
        appended = above.func.attr == "append" and isinstance(kept, ast.Name)
        return kept.id if appended and isinstance(kept, ast.Name) else ""
    return ""


def _asked_later(case: FixCase, call: ast.Call, name: str) -> Answer:
    statement = case.source.tree.statement(call)
    if statement is None:
        return None
    loop = next(case.source.tree.loops(call), None)
    top: ast.stmt = loop or statement
    with_ = next((up for up in case.source.tree.ancestors(top) if isinstance(up, ast.With)), None)
    inside = with_ is not None and case.source.tree.function(with_) is case.source.tree.function(
        call
    )
    top = with_ if inside and with_ is not None else top
    single = isinstance(statement, ast.Assign) and statement.value is call and loop is None
    if isinstance(statement, ast.Assign) and statement.value is call and loop is not None:
        return "each future is kept under a name that the next iteration uses again: collect them in a list"
    indent = case.indent_of(top)
    asked = f"{name}.result()" if single else f"for future in {name}:\n{indent}    future.result()"
    return _patch((case.line_below(top, asked),))


def _patch(edits: tuple[Edit, ...]) -> Patch:
    return Patch(
        "Get the result of each task, so that its error is raised where you see it.",
        edits,
        results="The program ends with the error of the task instead of continuing without its result.",
        raises="the error of the task",
    )


def _collected(case: FixCase, call: ast.Call, statement: ast.Expr) -> Answer:
    outer = next(
        (up for up in case.source.tree.ancestors(statement) if isinstance(up, ast.With)), None
    )
    used = {node.id for node in case.source.every(ast.Name)}
    name = next(
        word
        for word in ("futures", "started", "started_tasks", "started_tasks_2")
        if word not in used
    )
    loop = next(case.source.tree.loops(statement), None)
    if loop is None:
        return _patch((case.behind(call, ".result()"),))
    top = loop if outer is None or loop.lineno > outer.lineno else outer
    asked = f"for future in {name}:\n{case.indent_of(top)}    future.result()"
    before, behind = case.around(call, f"{name}.append(", ")")
    # Of two insertions at one place the later in this order comes first in the text.
    return _patch(
        (case.line_above(top, f"{name} = []"), before, case.line_below(top, asked), behind)
    )
