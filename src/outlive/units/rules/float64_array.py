"""A large array that is float64 because nobody said otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Edit, Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

FILLED = {"numpy.zeros": 1, "numpy.ones": 1, "numpy.empty": 1, "numpy.full": 2}
DRAWN = {
    "numpy.random.random": 0,
    "numpy.random.random_sample": 0,
    "numpy.random.normal": 2,
    "numpy.random.uniform": 2,
}
SPREAD = ("numpy.random.rand", "numpy.random.randn")

#: As float64: 100 MB; or, when the number of rows is not written, a picture of 128 × 128 in each row.
MOST_ELEMENTS = 12_500_000
MOST_IN_A_ROW = 128 * 128 * 3
WIDTH = 8


@rule(
    "R302",
    since="0.1",
    needs=("zeros", "ones", "empty", "full", "random"),
    prevents=("widened-dtype", "memory-limit-reached", "allocation-refused"),
)
def float64_array(source: Source) -> Iterator[Finding]:
    """A large NumPy array is float64 because no type is given.

    ## Why it is bad
    NumPy's default is float64; networks compute in float32. The array is twice as large as it has to be, and a second copy of it in float32 is made
    when TensorFlow takes it.

    ## Bad
        pictures = np.zeros((len(paths), 224, 224, 3))

    ## Good
        pictures = np.zeros((len(paths), 224, 224, 3), dtype=np.float32)
    """
    for call in source.calls(*FILLED, *DRAWN, *SPREAD):
        shape = _shape(source, call)
        dotted = source.called(call.func)
        given = source.argument(call, FILLED.get(dotted), "dtype")
        if not shape or given is not None or _is_narrowed_at_once(source, call):
            continue
        count, whole = source.values.elements(shape)
        if count < (MOST_ELEMENTS if whole else MOST_IN_A_ROW):
            continue
        takes = f"{size(count * WIDTH)}" if whole else f"{size(count * WIDTH)} for each row"
        edits: tuple[Edit, ...] = ()
        if dotted in FILLED and source.names.alias("numpy"):
            text = f", dtype={source.names.alias('numpy')}.float32"
            edits = (source.insertion(call.end_lineno or 0, (call.end_col_offset or 1) - 1, text),)
        yield Finding(
            f"This array is float64, {takes}; float32 takes half of that.",
            remedies=(
                Remedy("Set dtype=np.float32 (or np.uint8 for unprocessed pictures).", edits=edits)
                if dotted in FILLED
                else Remedy("Use np.random.default_rng().random(shape, dtype=np.float32)."),
            ),
            where=source.place(call),
        )


def _shape(source: Source, call: ast.Call) -> list[ast.expr]:
    dotted = source.called(call.func)
    if any(isinstance(word, ast.Starred) for word in call.args):
        return []
    if dotted in SPREAD:
        return list(call.args)
    place = DRAWN.get(dotted, 0)
    shape = source.argument(call, place, "shape", "size")
    if isinstance(shape, ast.Name):
        bound = source.names.latest(shape)
        shape = bound.value if bound and bound.how == "assign" else None
    if isinstance(shape, ast.Tuple | ast.List):
        return [] if any(isinstance(it, ast.Starred) for it in shape.elts) else list(shape.elts)
    return [shape] if shape is not None else []


def _is_narrowed_at_once(source: Source, call: ast.Call) -> bool:
    """`np.random.rand(…).astype("float32")`, or inside a call that names a narrower type."""
    above = source.tree.parent(call)
    if isinstance(above, ast.Attribute):
        return above.attr == "astype"
    if isinstance(above, ast.Call):
        words = [*above.args, *(keyword.value for keyword in above.keywords)]
        named = {source.called(word).rpartition(".")[2] for word in words}
        return bool(named & {"float32", "float16", "bfloat16"}) or source.called(
            above.func
        ).endswith("float32")
    return False
