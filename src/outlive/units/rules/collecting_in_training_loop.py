"""gc.collect() in a training loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FEWEST_TURNS = 20
WORK = frozenset(
    {
        "predict",
        "predict_on_batch",
        "train_on_batch",
        "apply_gradients",
        "test_on_batch",
        "train_step",
    }
)

#: A model that goes away in the loop is a circle of references: then collecting does something.
MAKES_OR_DROPS = ("keras.backend.clear_session", "keras.utils.clear_session", "keras.models.load_model", "keras.Sequential",
                  "keras.Model", "keras.models.", "keras.applications.", "tf.saved_model.load", "tf.reset_default_graph")  # fmt: skip


@rule("R209", since="0.1", needs=("collect(",), prevents=("kept-in-container", "native-leak"))
def collecting_in_training_loop(source: Source) -> Iterator[Finding]:
    """`gc.collect()` in a training loop takes time and frees nothing.

    ## Why it is bad
    Tensors and arrays are freed with their last reference. The collector is only for reference cycles, and a training
    step creates none. What fills the memory is held by something (a list, a graph, a cache), and the collector cannot
    free it. Meanwhile each call visits all objects of the program.

    ## Bad
        for batch in batches:
            model.train_on_batch(batch)
            del batch
            gc.collect()

    ## Good
        for batch in batches:
            model.train_on_batch(batch)
    """
    for call in source.calls("gc.collect"):
        loops = source.loops(call)
        if not loops or source.turns(call) < FEWEST_TURNS or _is_rare(source, call, loops[0]):
            continue
        inner = list(source.tree.inside(loops[0], ast.Call))
        works = any(isinstance(it.func, ast.Attribute) and it.func.attr in WORK for it in inner)
        if works and not source.values.reaches(loops[0], MAKES_OR_DROPS):
            yield Finding(
                "`gc.collect()` at every step takes time and frees nothing.",
                remedies=(
                    Remedy("Remove it, and find what holds the memory: outlive run names it."),
                ),
                where=source.place(call),
            )


def _is_rare(source: Source, call: ast.Call, loop: ast.AST) -> bool:
    """Under an `if`, once in a while."""
    for above in source.tree.ancestors(call):
        if above is loop:
            return False
        if isinstance(above, ast.If):
            return True
    return False
