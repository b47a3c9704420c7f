"""A call that Keras 2 took."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R616", since="0.2", prevents=("uncaught-exception",))
def refused_by_keras_3(source: Source) -> Iterator[Finding]:
    """Keras 3 refuses a call that Keras 2 took.

    ## Why it is bad
    TensorFlow 2.16 and later bring Keras 3, where the functions of TensorFlow do not take the symbolic tensors of a functional model, and the
    shape of an input is a tuple: `(512)` is the number 512. The line ends with `ValueError`. TensorFlow is asked, in a process of its own.

    ## Bad
        words = keras.Input(shape=(512))
        model = keras.Model(words, keras.layers.Dense(1)(words))

    ## Good
        words = keras.Input(shape=(512,))
        model = keras.Model(words, keras.layers.Dense(1)(words))
    """
    for trouble in source.refused("keras-2"):
        yield Finding(
            f"{trouble.by} refuses this call: {trouble.says.partition('. ')[0]}.",
            confidence=source.surely(trouble),
            remedies=(
                Remedy(
                    "Write a shape as a tuple, (n,), and keras.ops or a layer instead of a function of tf."
                ),
                Remedy("Or stay with Keras 2: pip install tf_keras, and TF_USE_LEGACY_KERAS=1."),
            ),
            where=source.place(trouble.node),
        )
