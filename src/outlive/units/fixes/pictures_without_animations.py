"""Pictures that are decoded with a known number of dimensions."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

NO_SHAPE = ("contains no shape", "unknown shape", "unknown rank", "as_list() is not defined")


@fix("F119", since="0.2", heals=("shape-mismatch", "uncaught-exception"))
def pictures_without_animations(case: FixCase) -> Answer:
    """`tf.io.decode_image` is told that no animation is expected, so that its result has three dimensions.

    ## What it changes
    `decode_image(…)` gets `expand_animations=False`.

    ## When it is offered
    TensorFlow complained that a picture has no known shape, and the file decodes pictures without that argument.

    ## What becomes of the results
    Of an animated GIF only the first frame is read.
    """
    error = case.evidence.errors.fatal
    words = " ".join(thrown.message for thrown in error.chain()) if error is not None else ""
    if not any(phrase in words for phrase in NO_SHAPE):
        return None
    calls = [
        call
        for call in case.source.every(ast.Call)
        if last_name(call.func) == "decode_image"
        and case.argument(call, "expand_animations", 4) is None
    ]
    if not calls:
        return None
    return Patch(
        "Decode pictures, not animations, so that their shape is known.",
        tuple(case.one_argument_more(call, "expand_animations=False") for call in calls),
    )
