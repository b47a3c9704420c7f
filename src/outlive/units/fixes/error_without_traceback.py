"""An exception that is kept without what its traceback keeps."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F131", since="0.2", heals=("kept-in-container",))
def error_without_traceback(case: FixCase) -> Answer:
    """Exceptions are kept without their tracebacks, which keep every local variable of the functions that they passed.

    ## What it changes
    `errors.append(error)` becomes `errors.append(error.with_traceback(None))`.

    ## When it is offered
    What is kept are exceptions, and the line appends the one that its `except` has caught.

    ## What becomes of the results
    Types and texts stay the same; the traceback of a kept exception is gone. It says so.
    """
    holders = [one for held in case.evidence.growth.holders.values() for one in held]
    if not any(one.errors and case.finding.says.startswith(one.kept) for one in holders):
        return None
    statement = case.statement
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    kept = call.args[0]
    caught = {node.name for node in case.source.tree.every(ast.ExceptHandler) if isinstance(node, ast.ExceptHandler)}  # fmt: skip
    if not isinstance(kept, ast.Name) or kept.id not in caught:
        return None
    return Patch(
        f"Keep `{kept.id}` without its traceback.",
        (case.replaced(kept, f"{kept.id}.with_traceback(None)"),),
        results="The traceback of a kept exception is gone; its type and text stay.",
    )
