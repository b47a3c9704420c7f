"""A session of one graph that is asked for a tensor of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R684",
    since="0.2",
    needs=("as_default",),
    prevents=("uncaught-exception",),
)
def tensor_of_another_graph(source: Source) -> Iterator[Finding]:
    """A session without a graph runs a tensor that was made inside the `with` of another graph.

    ## Why it is bad
    A session runs the graph that was the default one when it was made: "Tensor … is not an element of this graph".

    ## Bad
        graph = tf.Graph()
        with graph.as_default():
            total = tf.reduce_sum(tf.ones([3]))
        session = tf.compat.v1.Session()
        print(session.run(total))

    ## Good
        graph = tf.Graph()
        with graph.as_default():
            total = tf.reduce_sum(tf.ones([3]))
        session = tf.compat.v1.Session(graph=graph)
        print(session.run(total))
    """
    for run in source.sessions.runs:
        assert isinstance(run.call.func, ast.Attribute)
        sessions = source.origins.roots(run.call.func.value, run.frame)
        made = sessions[0].node if len(sessions) == 1 else None
        if (
            not isinstance(made, ast.Call)
            or made.args
            or source.argument(made, 1, "graph") is not None
            or source.is_caught(run.call)
        ):
            continue
        for fetched in run.fetches:
            roots = source.origins.roots(fetched, run.frame)
            only = roots[0] if len(roots) == 1 else None
            if only is None or only.frame is not None or not source.sessions.is_tensor(only):
                continue
            around = _graphs(source, only.node)
            if (
                around
                and not around & _graphs(source, made)
                and source.tree.function(only.node) is source.tree.function(made)
            ):
                yield Finding(
                    f"`{source.segment(fetched)}` belongs to another graph than this session: `run` ends with ValueError.",
                    remedies=(
                        Remedy(
                            "Make the session with that graph: tf.compat.v1.Session(graph=graph), or inside its `with`."
                        ),
                    ),
                    where=source.place(run.call),
                )


def _graphs(source: Source, node: ast.AST) -> set[ast.AST]:
    """The `with graph.as_default():` around a node."""
    found: set[ast.AST] = set()
    for above in source.tree.ancestors(node):
        for entered in above.items if isinstance(above, ast.With) else ():
            if source.values.made_by(entered.context_expr).startswith("tf.Graph()"):
                found.add(above)
    return found
