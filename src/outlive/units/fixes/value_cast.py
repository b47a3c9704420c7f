"""A value that is converted to the type that is expected."""

from __future__ import annotations

import ast
import re

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.complaint_facts import complained, values_of_dtype
from outlive.units.unit import fix

NAMES = {"float": "float32", "double": "float64", "int": "int32"}
WHOLE = ("int", "uint")

#: Which input of an operation a message is about: the left or the right side of `a + b`.
PLACE = re.compile(r"Input '(?P<name>[xy])' of|as input #(?P<number>[01])\(zero-based\)")


@fix("F118", since="0.2", heals=("dtype-mismatch",))
def value_cast(case: FixCase) -> Answer:
    """The value of the wrong type is converted on the line.

    ## What it changes
    `x` on the line becomes `tf.cast(x, …)`. Of an integer and a float, the integer is converted.

    ## When it is offered
    One value on the line has the type that did not fit, and both types are numbers.

    ## What becomes of the results
    No fraction is lost: a float is never turned into an integer.
    """
    complaint = complained(case.evidence, "dtype-mismatch")
    if complaint is None or not complaint.first or not complaint.second or "," in complaint.second:
        return None
    first = NAMES.get(complaint.first, complaint.first)
    second = NAMES.get(complaint.second, complaint.second)
    numeric = ("float", "int", "uint", "bfloat", "half", "bool")
    if not first.startswith(numeric) or not second.startswith(numeric):
        return "a string cannot be converted without knowing what it means"
    wrong, wanted = first, second
    if first.startswith("float") and second.startswith(WHOLE):
        if complaint.variant:
            return "the model takes integers: only the author knows whether these floats are pixels between 0 and 1"
        wrong, wanted = second, first
    names = {held.name for held in values_of_dtype(case.evidence, wrong)}
    fitting = [word for word in case.names_at_line() if word.id in names]
    different = {word.id for word in fitting}
    word = _outermost(case, fitting[0]) if len(different) == 1 else None
    if word is None:
        word = _operand(case, complaint.thrown.message, other=wrong != first)
    if word is None:
        return f"it is not known which value on this line is {wrong}"
    written, imports = case.imported("tf.cast")
    return Patch(
        f"Convert `{case.source.segment(word)}` to {wanted}.",
        (*imports, *case.around(word, f"{written}(", f', "{wanted}")')),
    )


def _operand(case: FixCase, message: str, *, other: bool) -> ast.expr | None:
    """The side of the only operation on the line that the message means by its place; or the other one."""
    found = PLACE.search(message)
    statement = case.statement
    if found is None or statement is None:
        return None
    operations = [node for node in ast.walk(statement) if isinstance(node, ast.BinOp)]
    if len(operations) != 1:
        return None
    second = (found["name"] == "y" or found["number"] == "1") is not other
    return operations[0].right if second else operations[0].left


def _outermost(case: FixCase, word: ast.expr) -> ast.expr:
    """`x[0]` and `x.value` are converted as a whole."""
    above = case.source.tree.parent(word)
    while isinstance(above, ast.Subscript) and above.value is word:
        word, above = above, case.source.tree.parent(above)
    return word
