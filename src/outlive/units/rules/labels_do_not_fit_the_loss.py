"""Labels that the loss cannot take."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R614", since="0.2", prevents=("shape-mismatch", "not-finite"))
def labels_do_not_fit_the_loss(source: Source) -> Iterator[Finding]:
    """The labels and what the model gives do not fit together in the loss.

    ## Why it is bad
    Class numbers need a sparse loss, rows with a 1 in them the other one; a model needs one output for each class. Else the first step ends
    with `ValueError`, or, for a class number that is too large, with `InvalidArgumentError` or a loss that is not a number.

    ## Bad
        digits = np.random.randint(0, 10, size=(100,))
        model = keras.Sequential([keras.layers.Dense(10, activation="softmax")])
        model.compile(loss="categorical_crossentropy")
        model.fit(np.zeros((100, 20), dtype=np.float32), digits)

    ## Good
        digits = np.random.randint(0, 10, size=(100,))
        model = keras.Sequential([keras.layers.Dense(10, activation="softmax")])
        model.compile(loss="sparse_categorical_crossentropy")
        model.fit(np.zeros((100, 20), dtype=np.float32), digits)
    """
    for trouble in source.refused("labels"):
        yield Finding(
            f"The labels do not fit: {trouble.says} ({trouble.by}).",
            confidence=source.surely(trouble),
            remedies=(
                Remedy(
                    "Class numbers go with sparse_categorical_crossentropy, one-hot rows with categorical_crossentropy."
                ),
                Remedy(
                    "The last layer needs one output for each class, and the labels a row for each row of the data."
                ),
            ),
            where=source.place(trouble.node),
        )
