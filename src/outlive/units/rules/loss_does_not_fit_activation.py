"""A loss that expects another kind of result than the last layer gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Layer, Source
from outlive.units.unit import rule

CROSS = {
    "binary_crossentropy": "sigmoid", "categorical_crossentropy": "softmax", "sparse_categorical_crossentropy": "softmax",
}  # fmt: skip
CLASSES = {
    "keras.losses.BinaryCrossentropy": "binary_crossentropy", "keras.losses.CategoricalCrossentropy": "categorical_crossentropy",
    "keras.losses.SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
}  # fmt: skip


@rule(
    "R660",
    since="0.2",
    needs=("compile",),
    prevents=("not-finite", "uncaught-exception"),
)
def loss_does_not_fit_activation(source: Source) -> Iterator[Finding]:
    """The loss of `compile` expects chances and gets plain numbers, or the other way round.

    ## Why it is bad
    `categorical_crossentropy` and its kin take chances between 0 and 1 unless `from_logits=True` says otherwise: the logarithm of a number below 0 is NaN, or
    is cut off so that nothing is learned. With `from_logits=True` they work out the softmax themselves, and a second one before it flattens the
    gradients. Keras does not complain.

    ## Bad
        model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(10)])
        model.compile(loss="sparse_categorical_crossentropy")

    ## Good
        model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(10, activation="softmax")])
        model.compile(loss="sparse_categorical_crossentropy")
    """
    for network in source.networks:
        ends = network.ends_with
        layer = network.last
        for call in network.compiled if layer is not None else ():
            loss = source.argument(call, 1, "loss")
            name, logits = _loss(source, loss)
            if name not in CROSS or logits is None or not ends:
                continue
            if logits and ends in ("softmax", "sigmoid"):
                says = f"This loss expects plain numbers (from_logits=True), and the last layer gives chances ({ends})."
                fix = "Leave the activation of the last layer out, or from_logits=True."
            elif not logits and ends in ("none", "relu", "tanh"):
                says = f"`{name}` expects chances between 0 and 1, and the last layer has {'no activation' if ends == 'none' else ends}."
                fix = (
                    f'Give the last layer activation="{CROSS[name]}", or the loss from_logits=True.'
                )
            elif name == "binary_crossentropy" and ends == "softmax" and _units(source, layer) > 2:
                says = "`binary_crossentropy` judges each class alone, and the last layer shares 1 among them (softmax)."
                fix = "Use categorical_crossentropy, or sparse_categorical_crossentropy for numbers of classes."
            elif name == "categorical_crossentropy" and _units(source, layer) == 1:
                says = "`categorical_crossentropy` of one unit is always 0: nothing is learned."
                fix = "Use binary_crossentropy and a sigmoid, or one unit for each class."
            else:
                continue
            yield Finding(says, remedies=(Remedy(fix),), where=source.place(call))


def _units(source: Source, layer: Layer | None) -> float:
    """How many numbers the last layer gives; 0 when it is not known."""
    units = (
        source.argument(layer.call, 0, "units", "output_dim", "filters")
        if layer is not None
        else None
    )
    return source.number(units) or 0


def _loss(source: Source, node: ast.expr | None) -> tuple[str, bool | None]:
    """The loss by its name, and whether it takes logits; None when that is not known."""
    roots = source.origins.roots(node)
    only = roots[0].node if len(roots) == 1 else None
    if isinstance(only, ast.Constant):
        return str(only.value), False
    if isinstance(only, ast.Attribute | ast.Name) and source.called(only).startswith(
        "keras.losses."
    ):
        return source.called(only).rpartition(".")[2], False
    name = CLASSES.get(source.called(only.func), "") if isinstance(only, ast.Call) else ""
    if (
        not isinstance(only, ast.Call)
        or not name
        or any(word.arg is None for word in only.keywords)
    ):
        return "", None
    logits = source.argument(only, 0, "from_logits")
    if logits is None:
        return name, False
    return name, logits.value if isinstance(logits, ast.Constant) and isinstance(
        logits.value, bool
    ) else None
