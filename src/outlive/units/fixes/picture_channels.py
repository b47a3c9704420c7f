"""A picture that is read with as many channels as the model takes."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

DECODERS = ("decode_image", "decode_png", "decode_jpeg", "decode_bmp")
WANTED = "3 channels"


@fix("F115", since="0.2", heals=("shape-mismatch",))
def picture_channels(case: FixCase) -> Answer:
    """Every picture is read with three channels.

    ## What it changes
    `tf.io.decode_…` gets `channels=3`, `Image.open(…)` gets `.convert("RGB")`.

    ## When it is offered
    Pictures with one, two or four channels came where three are expected, and the file reads pictures in one place.

    ## What becomes of the results
    Pictures that could be used before stay as they were; transparency is dropped, grey becomes three equal channels.
    """
    if not any(WANTED in one.text for one in case.finding.remedies):
        return None
    reads = [call for call in case.calls() if _edits(case, call)] or [
        call for call in case.source.every(ast.Call) if _edits(case, call)
    ]
    if len(reads) != 1:
        return f"the file reads pictures in {len(reads)} places that could be the one"
    return Patch("Read every picture with 3 channels.", _edits(case, reads[0]))


def _edits(case: FixCase, call: ast.Call) -> tuple[Edit, ...]:
    if last_name(call.func) in DECODERS and case.source.called(call.func).startswith("tf."):
        channels = case.argument(call, "channels", 1)
        if channels is None:
            return (case.one_argument_more(call, "channels=3"),)
        return (case.replaced(channels, "3"),) if case.source.number(channels) != 3 else ()
    if case.source.called(call.func) == "PIL.Image.open":
        above = case.source.tree.parent(call)
        if isinstance(above, ast.withitem):
            return ()
        if isinstance(above, ast.Attribute) and above.attr == "convert":
            outer = case.source.tree.parent(above)
            mode = outer.args[0] if isinstance(outer, ast.Call) and outer.args else None
            other = isinstance(mode, ast.Constant) and mode.value != "RGB"
            return (case.replaced(mode, '"RGB"'),) if other and mode is not None else ()
        return (case.behind(call, '.convert("RGB")'),)
    return ()
