"""A traced function that is traced for shapes in general."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F108", since="0.2", heals=("function-retraced",))
def one_trace_for_many_shapes(case: FixCase) -> Answer:
    """The `tf.function` is traced for shapes in general (`reduce_retracing=True`), or made once before the loop.

    ## What it changes
    The decorator gets `reduce_retracing=True`; a `tf.function(…)` that is made in a loop of its own moves above the loop.

    ## When it is offered
    The traces differed in shapes, or the function was created again at every step.

    ## What becomes of the results
    They stay the same.
    """
    wanted = case.finding.where.function.rpartition(".")[2] if case.finding.where else ""
    for function in case.source.tree.functions:
        decorator = case.source.traced_decorator(function)
        if function.name != wanted or decorator is None:
            continue
        loop = next(case.source.tree.loops(function), None)
        if loop is not None:
            return _moved(case, function, loop)
        return _relaxed(case, decorator)
    return "the decorator of this function was not found in the file"


def _relaxed(case: FixCase, decorator: ast.expr) -> Answer:
    says = "Let one trace serve many shapes."
    if not isinstance(decorator, ast.Call):
        return Patch(says, (case.behind(decorator, "(reduce_retracing=True)"),))
    names = {word.arg for word in decorator.keywords}
    if names & {"reduce_retracing", "experimental_relax_shapes", "input_signature"}:
        return "the function already says how it is traced"
    return Patch(says, (case.one_argument_more(decorator, "reduce_retracing=True"),))


def _moved(
    case: FixCase, function: ast.FunctionDef | ast.AsyncFunctionDef, loop: ast.stmt
) -> Answer:
    changing = case.changes_in(loop)
    mine = {word.arg for word in ast.walk(function.args) if isinstance(word, ast.arg)}
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} - mine
    bound = case.changes_in(function) | {function.name}
    if (read - bound) & changing:
        return "the function is created again in each iteration and uses what changes there"
    outer, inner = case.indent_of(loop), case.indent_of(function)
    text = case.text_of(function).splitlines(keepends=True)
    lines = [outer + line.removeprefix(inner) if line.strip() else line for line in text]
    return Patch(
        "Make the function once, before the loop.",
        (case.source.insertion(loop.lineno, 0, "".join(lines)), case.without(function)),
    )
