"""An input that a layer or a model cannot take."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R613", since="0.2", prevents=("shape-mismatch",))
def layer_input_does_not_fit(source: Source) -> Iterator[Finding]:
    """A layer or a model gets an input of a shape that it cannot take.

    ## Why it is bad
    The line ends with `ValueError` whatever the data is: a convolution needs pictures with their channels, a recurrent layer needs a sequence,
    and a model takes what its `Input` says. `fit` and `predict` need batches: one picture alone, or a data set without `batch`, lacks a side.
    TensorFlow is asked, in a process of its own, without weights and without data.

    ## Bad
        pictures = np.zeros((100, 28, 28), dtype=np.float32)
        model = keras.Sequential([keras.layers.Conv2D(8, 3), keras.layers.Flatten(), keras.layers.Dense(10)])
        results = model.predict(pictures)

    ## Good
        pictures = np.zeros((100, 28, 28, 1), dtype=np.float32)
        model = keras.Sequential([keras.layers.Conv2D(8, 3), keras.layers.Flatten(), keras.layers.Dense(10)])
        results = model.predict(pictures)
    """
    for trouble in source.refused("model-input"):
        yield Finding(
            f"{trouble.by} refuses this input: {trouble.says}.",
            confidence=source.surely(trouble),
            remedies=(
                Remedy(
                    "Give it the sides that it needs: np.expand_dims, tf.reshape, `return_sequences=True`, Flatten, or .batch(n)."
                ),
            ),
            where=source.place(trouble.node),
        )
