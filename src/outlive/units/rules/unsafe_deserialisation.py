"""A file that may run code when it is loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

PICKLES = (
    "pickle.load",
    "pickle.loads",
    "joblib.load",
    "dill.load",
    "dill.loads",
    "cloudpickle.load",
    "cloudpickle.loads",
)
SWITCHES = (
    "keras.config.enable_unsafe_deserialization",
    "keras.saving.enable_unsafe_deserialization",
)


@rule(
    "R505", since="0.1", needs=("safe_mode", "pickle", "joblib", "dill", "unsafe", "Lambda"),
    prevents=("corrupt-weights", "numpy-abi-mismatch"),
)  # fmt: skip
def unsafe_deserialisation(source: Source) -> Iterator[Finding]:
    """A model or a file is loaded in a way that lets it run code.

    ## Why it is bad
    A pickle, and a Keras model with `safe_mode=False`, run what its author wrote into it, with your rights. They also
    depend on the versions of Python and NumPy that wrote them: with others, loading fails or crashes.

    ## Bad
        model = keras.models.load_model("downloaded.keras", safe_mode=False)

    ## Good
        model = keras.models.load_model("downloaded.keras")
    """
    for call in source.calls_ending_in("load_model"):
        if _loads_code(source, call):
            says = "A model is loaded with its code allowed to run."
            yield _finding(source, call, says, Confidence.LIKELY)
    for call in source.calls(*SWITCHES):
        says = "Every loaded model may run code."
        yield _finding(source, call, says, Confidence.LIKELY)
    for call in source.calls(*PICKLES):
        yield _finding(source, call, "A pickle runs code when it is loaded.", Confidence.POSSIBLE)
    for call in source.calls("keras.layers.Lambda"):
        if call.args and isinstance(call.args[0], ast.Lambda):
            says = "A model with this `Lambda` can only be loaded with its code allowed to run."
            yield _finding(source, call, says, Confidence.POSSIBLE)


def _loads_code(source: Source, call: ast.Call) -> bool:
    """A model from a file, with its code allowed to run; not one that was saved a few lines above."""
    if not source.called(call.func).startswith("keras."):
        return False
    mode = source.argument(call, None, "safe_mode")
    if not isinstance(mode, ast.Constant) or mode.value is not False:
        return False
    file = source.argument(call, 0, "filepath")
    around = source.tree.function(call) or source.tree.module
    saved = [
        word
        for other in source.tree.inside(around, ast.Call)
        if isinstance(other.func, ast.Attribute) and other.func.attr.startswith("save")
        for word in (*other.args, *(keyword.value for keyword in other.keywords))
    ]
    return file is None or not any(ast.dump(word) == ast.dump(file) for word in saved)


def _finding(source: Source, call: ast.Call, says: str, sure: Confidence) -> Finding:
    return Finding(
        says,
        confidence=sure,
        remedies=(
            Remedy(
                "Keep models as .keras without Lambda layers, arrays as .npy or .npz, and load nothing you did not write."
            ),
        ),
        where=source.place(call),
    )
