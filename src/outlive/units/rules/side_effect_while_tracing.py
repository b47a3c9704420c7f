"""Python code that a traced function runs once, and not for every element."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

ONCE = {
    "time.sleep": "waits", "builtins.print": "prints", "random.random": "draws", "random.randint": "draws",
    "random.uniform": "draws", "random.choice": "draws", "numpy.random.rand": "draws", "numpy.random.randn": "draws",
    "numpy.random.randint": "draws", "numpy.random.uniform": "draws", "numpy.random.normal": "draws",
    "numpy.random.random": "draws",
}  # fmt: skip
INSTEAD = {"waits": "tf.py_function", "prints": "tf.print", "draws": "tf.random"}


@rule("R610", since="0.2", prevents=("kept-in-container", "uncaught-exception"))
def side_effect_while_tracing(source: Source) -> Iterator[Finding]:
    """A function that TensorFlow traces prints, waits or draws a random number with Python.

    ## Why it is bad
    TensorFlow calls the function of `map` and a `@tf.function` once, to trace it. Python's part of it runs then and never again: `time.sleep`
    waits once, `print` prints once, and every element gets the same "random" number.

    ## Bad
        def noisy(picture):
            return picture * np.random.uniform()

        photos = tf.data.Dataset.from_tensors(tf.ones([64, 64, 3])).repeat(1000).map(noisy)

    ## Good
        def noisy(picture):
            return picture * tf.random.uniform([])

        photos = tf.data.Dataset.from_tensors(tf.ones([64, 64, 3])).repeat(1000).map(noisy)
    """
    traced = source.handed_to_tensorflow
    if not traced:
        return
    for call in source.calls(*ONCE):
        if source.tree.function(call) not in traced:
            continue
        what = ONCE[source.called(call.func)]
        yield Finding(
            f"TensorFlow traces this function once: the line {what} then, and not for every element.",
            confidence=Confidence.POSSIBLE,
            remedies=(Remedy(f"Use {INSTEAD[what]}, which is part of the traced function."),),
            where=source.place(call),
        )
