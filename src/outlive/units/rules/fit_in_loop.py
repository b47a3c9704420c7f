"""model.fit for one epoch at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FEWEST_TURNS = 10


@rule(
    "R207",
    since="0.1",
    needs=("fit",),
    prevents=("native-leak", "graph-grows", "kept-in-container"),
)
def fit_in_loop(source: Source) -> Iterator[Finding]:
    """`model.fit` is called for one epoch at a time in a long loop.

    ## Why it is bad
    Each `fit` creates a new input pipeline, new callbacks and a new History, and the old ones are freed late or never;
    shuffling and schedules start over. One `fit` with many epochs, and a callback for what happens in between, keeps
    memory flat.

    ## Bad
        model = keras.Sequential([keras.layers.Dense(1)])
        for epoch in range(200):
            model.fit(x, y, epochs=1)

    ## Good
        model = keras.Sequential([keras.layers.Dense(1)])
        model.fit(x, y, epochs=200, callbacks=[keras.callbacks.ModelCheckpoint("best.keras")])
    """
    for call in source.methods("fit"):
        assert isinstance(call.func, ast.Attribute)
        loops = source.loops(call)
        epochs = source.argument(call, 3, "epochs", "nb_epoch")
        once = epochs is None or source.number(epochs) == 1
        if not loops or not once or source.turns(call) < FEWEST_TURNS:
            continue
        model = call.func.value
        bound = source.names.latest(model, through_branches=True)
        older = bound is not None and loops[0] not in set(source.tree.ancestors(bound.node))
        changes = any(_changes(source, word, loops[0]) for word in call.args[:2])
        if older and not changes and source.values.is_model(model):
            yield Finding(
                "`fit` is called for one epoch at a time in a long loop.",
                remedies=(
                    Remedy(
                        "Call fit once with all epochs; move the code in between into a callback (on_epoch_end)."
                    ),
                    Remedy("Or call train_on_batch(x, y) if the loop gives one batch at a time."),
                ),
                where=source.place(call),
            )


def _changes(source: Source, data: ast.expr, loop: ast.AST) -> bool:
    """Whether every turn has other data: then each is a training of its own."""
    names = [node for node in ast.walk(data) if isinstance(node, ast.Name)]
    bound = [binding for name in names for binding in source.names.bindings(name)]
    return any(loop is it.node or loop in set(source.tree.ancestors(it.node)) for it in bound)
