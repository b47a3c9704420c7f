"""A softmax over a single number."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R659",
    since="0.2",
    needs=("softmax",),
    prevents=("uncaught-exception",),
)
def softmax_of_one_unit(source: Source) -> Iterator[Finding]:
    """The last layer has one unit and a softmax, which is 1 whatever the unit says.

    ## Why it is bad
    A softmax shares 1 among the units of a layer. With one unit the result is 1 for every input, the gradients are 0, and nothing is
    learned.

    ## Bad
        model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1, activation="softmax")])
        model.compile(loss="mse")

    ## Good
        model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
        model.compile(loss="binary_crossentropy")
    """
    told = []
    for network in source.networks:
        layer = network.last
        if layer is not None and network.ends_with == "softmax" and layer.kind == "Dense":
            told.append((layer.call, source.argument(layer.call, 0, "units", "output_dim")))
    dense = (
        call
        for call in source.calls("tf.layers.dense")
        if source.origins.activation(call) == "softmax"
    )
    told += ((call, source.argument(call, 1, "units")) for call in dense)
    for call, units in told:
        if source.number(units) == 1:
            yield Finding(
                "The softmax of one unit is always 1: the model gives the same for every input.",
                remedies=(
                    Remedy(
                        "Use a sigmoid with one unit (binary_crossentropy), or one unit for each class."
                    ),
                ),
                where=source.place(call),
            )
