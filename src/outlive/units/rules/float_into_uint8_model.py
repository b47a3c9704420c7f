"""Floats are given to a model that may want bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

INTERPRETERS = (
    "tf.lite.Interpreter", "tflite_runtime.interpreter.Interpreter", "ai_edge_litert.interpreter.Interpreter",
    "tf.lite.interpreter.Interpreter",
)  # fmt: skip
FLOATS = ("numpy.float32", "tf.float32", "float32", "numpy.float64", "float", "builtins.float")


@rule("R303", since="0.1", needs=("set_tensor", "saved_model"), prevents=("dtype-mismatch",))
def float_into_uint8_model(source: Source) -> Iterator[Finding]:
    """Floats are given to a loaded model, whatever type its input has.

    ## Why it is bad
    Quantised models and the detectors of the Object Detection API want bytes (uint8). Given floats between 0 and 1,
    they raise an error or see a black picture. The file says which type it takes: read it.

    ## Bad
        interpreter = tf.lite.Interpreter("detector.tflite")
        interpreter.allocate_tensors()
        interpreter.set_tensor(0, picture.astype(np.float32) / 255.0)

    ## Good
        interpreter = tf.lite.Interpreter("detector.tflite")
        interpreter.allocate_tensors()
        wanted = interpreter.get_input_details()[0]
        interpreter.set_tensor(wanted["index"], picture.astype(wanted["dtype"]))
    """
    asks = any(
        isinstance(node, ast.Constant) and node.value in ("dtype", "quantization")
        for node in source.every(ast.Constant)
    )
    for call in () if asks else source.methods("set_tensor"):
        assert isinstance(call.func, ast.Attribute)
        by_interpreter = source.values.made_by(call.func.value) in INTERPRETERS
        if by_interpreter and len(call.args) == 2 and _is_float(source, call.args[1]):
            yield _finding(source, call)
    for call in source.every(ast.Call) if "saved_model" in source.text else ():
        if isinstance(call.func, ast.Name) and call.args and not source.called(call.func):
            made = source.values.made_by(call.func)
            if made == "tf.saved_model.load" and _is_float(source, call.args[0]):
                yield _finding(source, call)


def _finding(source: Source, call: ast.Call) -> Finding:
    return Finding(
        "Floats are passed to a loaded model without checking its input type.",
        confidence=Confidence.POSSIBLE,
        remedies=(
            Remedy(
                "Convert to the model's input type: get_input_details()[0]['dtype'], or the signature's dtype."
            ),
        ),
        where=source.place(call),
    )


def _is_float(source: Source, value: ast.expr, hops: int = 4) -> bool:
    if not hops:
        return False
    if isinstance(value, ast.Name):
        bound = source.names.latest(value)
        known = bound.value if bound and bound.how == "assign" else None
        return known is not None and _is_float(source, known, hops - 1)
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.Div) and source.number(value.right) is not None
    if isinstance(value, ast.Subscript):
        return _is_float(source, value.value, hops - 1)
    if isinstance(value, ast.Call):
        words = [*value.args, *(keyword.value for keyword in value.keywords)]
        named = [it.value if isinstance(it, ast.Constant) else source.called(it) for it in words]
        if any(name in FLOATS for name in named):
            return True
        return any(_is_float(source, word, hops - 1) for word in value.args[:1])
    return False
