"""A loss that fits labels which are numbers of classes."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.complaint_facts import complained
from outlive.units.unit import fix

SPARSE = {
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
    "categorical_accuracy": "sparse_categorical_accuracy",
    "CategoricalAccuracy": "SparseCategoricalAccuracy",
}


@fix("F117", since="0.2", heals=("shape-mismatch",))
def loss_for_class_numbers(case: FixCase) -> Answer:
    """Labels that are numbers of classes get the sparse form of the loss; labels that are rows get the other.

    ## What it changes
    `categorical_crossentropy` becomes `sparse_categorical_crossentropy`, or the other way round, together with its accuracy.

    ## When it is offered
    The shapes of labels and outputs tell which of the two the labels are, and the file names one such loss.

    ## What becomes of the results
    The loss now fits the labels; before, it could not be computed.
    """
    complaint = complained(case.evidence, "shape-mismatch")
    if complaint is None or complaint.variant != "loss":
        return None
    labels, outputs = _sides(complaint.first), _sides(complaint.second)
    if not labels or not outputs or outputs[-1] in ("", "1"):
        return None
    sparse = len(labels) == len(outputs) - 1 or labels[-1] == "1"
    wanted = SPARSE if sparse else {new: old for old, new in SPARSE.items()}
    if not sparse and labels[-1] != outputs[-1]:
        return None
    edits = tuple(_edits(case, wanted))
    if not edits:
        return "no such loss is named in this file"
    what = "numbers of classes" if sparse else "one row a label"
    return Patch(f"Use the loss for labels that are {what}.", edits)


def _sides(shape: str) -> list[str]:
    return [side.strip() for side in shape.strip("()[]").split(",") if side.strip()]


def _edits(case: FixCase, wanted: dict[str, str]) -> list[Edit]:
    found = [
        case.replaced(text, f'"{wanted[text.value]}"')
        for text in case.source.every(ast.Constant)
        if isinstance(text.value, str) and text.value in wanted
    ]
    found += [
        case.replaced(word, f"{case.source.segment(word.value)}.{wanted[word.attr]}")
        for word in case.source.every(ast.Attribute)
        if word.attr in wanted and case.source.called(word).startswith("keras.")
    ]
    return found
