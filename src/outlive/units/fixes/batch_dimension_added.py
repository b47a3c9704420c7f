"""A single example that is given to a model as a batch of one."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.complaint_facts import complained, values_like
from outlive.units.unit import fix


@fix("F114", since="0.2", heals=("shape-mismatch",))
def batch_dimension_added(case: FixCase) -> Answer:
    """The example is given to the model as a batch of one.

    ## What it changes
    `x` in the call becomes `x[None, ...]`.

    ## When it is offered
    The actual shape lacks exactly the first dimension of the expected one, and one value on the line has that shape.

    ## What becomes of the results
    The model gives a batch of one result.
    """
    complaint = complained(case.evidence, "shape-mismatch")
    if complaint is None or "Add the batch dimension" not in "".join(
        one.text for one in case.finding.remedies
    ):
        return None
    names = {held.name for held in values_like(case.evidence, complaint)}
    fitting = [
        word
        for call in case.calls()
        for word in call.args
        if isinstance(word, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        and (case.source.segment(word) in names or _is_the_only_argument(call))
    ]
    named = [word for word in fitting if case.source.segment(word) in names] or fitting
    different = {(word.lineno, word.col_offset) for word in named}
    if len(different) != 1:
        return "it is not known which value on this line lacks the batch dimension"
    return Patch(
        f"Pass `{case.source.segment(named[0])}` as a batch of one.",
        (case.behind(named[0], "[None, ...]"),),
    )


def _is_the_only_argument(call: ast.Call) -> bool:
    return len(call.args) == 1 and last_name(call.func) not in ("print", "len", "str", "int")
