"""Data that becomes part of a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

LOADED = ("numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.memmap", "numpy.fromfile")
FILLED = ("tf.zeros", "tf.ones", "tf.random.normal", "tf.random.uniform", "tf.fill")
WIDTH = 4

#: A graph may be 2 GB; TensorFlow folds what is constant.
MOST_BYTES = 2_000_000_000


@rule(
    "R304", since="0.1", needs=(".function", "import function", "zeros", "ones", "random", "fill"),
    prevents=("allocation-refused", "graph-grows", "memory-limit-reached"),
)  # fmt: skip
def giant_constant(source: Source) -> Iterator[Finding]:
    """A whole data set, or gigabytes of zeros, become one constant.

    ## Why it is bad
    An array of NumPy that a `tf.function` uses from outside is copied into the graph as a constant, once for every
    trace; a graph can hold 2 GB. A larger tensor is requested as one block, and refused.

    ## Bad
        table = np.load("embeddings.npy")

        @tf.function
        def look_up(rows):
            return tf.gather(table, rows)

    ## Good
        table = tf.Variable(np.load("embeddings.npy"), trainable=False)

        @tf.function
        def look_up(rows):
            return tf.gather(table, rows)
    """
    seen: set[str] = set()
    for name in _names_in_traced_functions(source):
        if name.id in seen or not isinstance(name.ctx, ast.Load):
            continue
        if source.values.made_by(name) in LOADED and _comes_from_outside(source, name):
            seen.add(name.id)
            yield Finding(
                f"The array `{name.id}` becomes a constant in the graph of this function, once for every trace.",
                remedies=(
                    Remedy(
                        f"Make it a tf.Variable({name.id}, trainable=False), or pass it as an argument."
                    ),
                ),
                where=source.place(name),
            )
    for call in source.calls(*FILLED):
        shape = source.argument(call, 0, "shape", "dims")
        if not isinstance(shape, ast.Tuple | ast.List):
            continue
        count, whole = source.values.elements(list(shape.elts))
        if whole and count * WIDTH > MOST_BYTES:
            yield Finding(
                f"This allocates {size(count * WIDTH)} at once.",
                remedies=(Remedy("Create it in parts, or where it is needed."),),
                where=source.place(call),
            )


def _names_in_traced_functions(source: Source) -> Iterator[ast.Name]:
    for function in source.traced_functions:
        yield from source.tree.inside(function, ast.Name)


def _comes_from_outside(source: Source, name: ast.Name) -> bool:
    bindings = source.names.bindings(name)
    return bool(bindings) and all(not source.traced(binding.node) for binding in bindings)
