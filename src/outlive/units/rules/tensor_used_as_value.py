"""Python that needs a number, and gets a tensor of a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

BUILTINS = frozenset(
    {
        "builtins.len",
        "builtins.int",
        "builtins.float",
        "builtins.range",
        "builtins.bool",
        "math.sqrt",
        "math.log",
        "math.exp",
    }
)
#: NumPy's functions that ask a tensor for nothing but its name or type, or take any object.
NO_VALUES = (
    "numpy.random",
    "numpy.ndim",
    "numpy.shape",
    "numpy.dtype",
    "numpy.save",
    "numpy.array",
    "numpy.asarray",
    "numpy.testing",
)


@rule(
    "R672",
    since="0.2",
    needs=("placeholder",),
    prevents=("uncaught-exception",),
)
def tensor_used_as_value(source: Source) -> Iterator[Finding]:
    """Python or NumPy is asked to work with a tensor that has no value yet.

    ## Why it is bad
    `len`, `range`, `int`, `for` and NumPy need numbers; a placeholder, and all that is worked out of one, has none until the graph runs. The line ends with "Cannot
    convert a symbolic tf.Tensor to a numpy array", "'Tensor' object is not iterable" or their kin.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None])
            mean = np.mean(pixels)

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None])
            mean = tf.reduce_mean(pixels)
    """
    used: list[tuple[ast.expr, ast.expr]] = [
        (call, given)
        for call in source.every(ast.Call)
        for given in call.args[:1]
        if _wants_values(source, call)
    ]
    used += [(loop.iter, loop.iter) for loop in source.every(ast.For)]
    for node, given in used:
        if (
            isinstance(given, ast.Name | ast.Call)
            and not source.traced(node)
            and not source.is_caught(node)
            and _is_symbolic(source, given)
        ):
            yield Finding(
                f"`{source.segment(given)}` is a tensor of the graph and has no value when this line runs.",
                remedies=(
                    Remedy(
                        "Use the operation of TensorFlow (tf.reduce_mean, tf.shape, tf.map_fn), or the value that session.run gives."
                    ),
                ),
                where=source.place(node),
            )


def _wants_values(source: Source, call: ast.Call) -> bool:
    called = source.called(call.func)
    return called in BUILTINS or (called.startswith("numpy.") and not called.startswith(NO_VALUES))


def _is_symbolic(source: Source, given: ast.expr) -> bool:
    """Whether a value is a placeholder, or a tensor that is worked out of one."""
    roots = source.origins.roots(given)
    return bool(roots) and all(
        source.sessions.is_tensor(root)
        and root.part is None
        and source.origins.needs(root.node, frozenset({"tf.placeholder"}), root.frame)
        for root in roots
    )
