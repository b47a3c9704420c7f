"""A tensor that was computed already is given to a session."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

SESSIONS = ("tf.Session", "tf.InteractiveSession")
#: What does not give a tensor.
NO_TENSORS = ("tf.data.", "tf.function", "tf.Variable", "tf.train.", "tf.saved_model.")


@rule("R609", since="0.2", needs=("Session",), prevents=("uncaught-exception", "session-closed"))
def eager_tensor_in_session(source: Source) -> Iterator[Finding]:
    """`session.run` gets a tensor that was made outside the session, where TensorFlow 2 computes at once.

    ## Why it is bad
    Such a tensor holds its value and belongs to no graph: `session.run` ends with "The Session graph is empty" or "Fetch argument cannot be
    interpreted as a Tensor".

    ## Bad
        product = tf.matmul(tf.ones([2, 3]), tf.ones([3, 2]))
        with tf.compat.v1.Session() as session:
            print(session.run(product))

    ## Good
        product = tf.matmul(tf.ones([2, 3]), tf.ones([3, 2]))
        print(product.numpy())
    """
    old = (
        call for call in source.calls(*SESSIONS) if "compat" not in source.names.written(call.func)
    )
    if source.makes_graphs or any(old):
        return  # a program for TensorFlow 1, where nothing runs eagerly
    for call in source.methods("run"):
        assert isinstance(call.func, ast.Attribute)
        if source.values.made_by(call.func.value) not in SESSIONS or not call.args:
            continue
        given = call.args[0]
        if (
            not isinstance(given, ast.Name)
            or source.is_caught(call)
            or not _is_eager(source, given, call)
        ):
            continue
        yield Finding(
            f"`{given.id}` was computed before the session began: `run` ends with an error.",
            remedies=(
                Remedy(f"Read the value: {given.id}.numpy(). TensorFlow 2 needs no session."),
            ),
            where=source.place(call),
        )


def _is_eager(source: Source, name: ast.Name, call: ast.Call) -> bool:
    """Whether the tensor is made in the same function, and in no `with`."""
    bound = source.names.latest(name)
    if bound is None or bound.how != "assign":
        return False
    made = source.values.made_by(bound.value)
    if not made.startswith("tf.") or made.startswith(NO_TENSORS) or "placeholder" in made:
        return False
    function = source.tree.function(call)
    inside = any(isinstance(above, ast.With) for above in source.tree.ancestors(bound.node))
    written = source.names.written(bound.value.func) if isinstance(bound.value, ast.Call) else ""
    return (
        not inside
        and function is None
        and source.tree.function(bound.node) is None
        and bool(written)
    )
