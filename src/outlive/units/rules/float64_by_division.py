"""Bytes that become float64 by a division."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Edit, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

LOADERS = tuple(
    f"keras.datasets.{name}.load_data" for name in ("mnist", "fashion_mnist", "cifar10", "cifar100")
)
BYTES = ("numpy.uint8", "uint8", "tf.uint8")
OPENS = (
    "cv2.imread",
    "cv2.imdecode",
    "imageio.imread",
    "imageio.v2.imread",
    "imageio.v3.imread",
    "skimage.io.imread",
)


@rule(
    "R301",
    since="0.1",
    needs=("load_data", "imread", "imdecode", "uint8", "Image.open", "VideoCapture"),
    prevents=("widened-dtype", "memory-limit-reached", "allocation-refused"),
)
def float64_by_division(source: Source) -> Iterator[Finding]:
    """Pictures of bytes become float64, eight times as large, by a division.

    ## Why it is bad
    NumPy makes float64 of `uint8 / 255.0`: 1 GB of pictures is 8 GB, and Keras then makes another copy of it in
    float32. Nothing is gained: a byte has at most three digits.

    ## Bad
        (x_train, y_train), _ = keras.datasets.cifar10.load_data()
        x_train = x_train / 255.0

    ## Good
        (x_train, y_train), _ = keras.datasets.cifar10.load_data()
        x_train = x_train.astype("float32") / 255.0
    """
    for division in source.every(ast.BinOp):
        if not isinstance(division.op, ast.Div) or source.number(division.right) is None:
            continue
        if not _holds_bytes(source, division.left) or _is_narrowed_at_once(source, division):
            continue
        alone = source.values.is_picture(division.left)  # one picture is soon gone again
        text = source.segment(division.left)
        edits: tuple[Edit, ...] = ()
        if isinstance(division.left, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            edits = (
                source.insertion(
                    division.left.end_lineno or 0,
                    division.left.end_col_offset or 0,
                    '.astype("float32")',
                ),
            )
        yield Finding(
            f"`{text}` holds bytes; divided by a number it becomes float64, eight times as large.",
            confidence=Confidence.POSSIBLE if alone else Confidence.LIKELY,
            remedies=(Remedy(f'Write {text}.astype("float32") / …: half as large.', edits=edits),),
            where=source.place(division),
        )


def _holds_bytes(source: Source, value: ast.expr, hops: int = 6) -> bool:
    """An array of uint8, as far as the text tells."""
    if not hops:
        return False
    made = source.values.made_by(value)
    if ("[]" in made and made.replace("[]", "") in LOADERS) or made in OPENS:
        return True
    if made == "cv2.VideoCapture().read[]":
        return True
    if isinstance(value, ast.Name):
        bound = source.names.latest(value)
        known = bound is not None and bound.how == "assign" and bound.value is not None
        return bool(known and bound and bound.value and _holds_bytes(source, bound.value, hops - 1))
    if isinstance(value, ast.Call):
        dotted = source.called(value.func)
        kind = source.argument(value, None, "dtype")
        if dotted in ("numpy.array", "numpy.asarray") and kind is None and value.args:
            return source.values.made_by(value.args[0]).split("()")[0] == "PIL.Image.open"
        if dotted.startswith("numpy.") and kind is not None:
            return _is_byte(source, kind)
        if isinstance(value.func, ast.Attribute) and value.func.attr == "astype" and value.args:
            return _is_byte(source, value.args[0])
    return False


def _is_byte(source: Source, kind: ast.expr) -> bool:
    written = kind.value if isinstance(kind, ast.Constant) else source.called(kind)
    return written in BYTES


def _is_narrowed_at_once(source: Source, division: ast.BinOp) -> bool:
    """`(x / 255.0).astype("float32")` is wide for a moment only."""
    above = source.tree.parent(division)
    if isinstance(above, ast.Attribute):
        return above.attr == "astype"
    return isinstance(above, ast.Call) and source.called(above.func) in (
        "numpy.float32",
        "numpy.float16",
        "tf.cast",
    )
