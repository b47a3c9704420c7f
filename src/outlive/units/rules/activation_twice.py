"""An activation on what an activation gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

SQUEEZING = frozenset({"softmax", "sigmoid"})


@rule(
    "R680",
    since="0.2",
    needs=(
        "softmax",
        "sigmoid",
    ),
    prevents=("not-finite", "uncaught-exception"),
)
def activation_twice(source: Source) -> Iterator[Finding]:
    """A softmax or a sigmoid gets numbers that went through a softmax or a sigmoid already.

    ## Why it is bad
    The first has squeezed everything between 0 and 1; the second makes nearly equal numbers of that. Gradients almost vanish, and the model learns slowly
    or not at all. No error says so.

    ## Bad
        model = keras.Sequential([
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
            keras.layers.Activation("softmax"),
        ])

    ## Good
        model = keras.Sequential([
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10),
            keras.layers.Activation("softmax"),
        ])
    """
    for network in source.networks:
        for n in range(1, len(network.layers)):
            first, second = network.layers[n - 1], network.layers[n]
            if (
                second.kind in ("Activation", "Softmax")
                and {first.activation, second.activation} <= SQUEEZING
            ):
                yield _finding(source, second.call, first.activation)
    for call in source.calls(*(f"tf.nn.{name}" for name in SQUEEZING), "tf.sigmoid"):
        found = source.origins.activation(source.argument(call, 0, "logits", "x", "features"))
        if found in SQUEEZING:
            yield _finding(source, call, found)


def _finding(source: Source, call: ast.Call, first: str) -> Finding:
    return Finding(
        f"What this gets went through `{first}` already: everything is between 0 and 1.",
        remedies=(Remedy("Keep one of the two."),),
        where=source.place(call),
    )
