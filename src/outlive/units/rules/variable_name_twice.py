"""Two variables of one name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Who has one of these may be in another scope or graph.
OTHER_SCOPES = (
    "_scope(",
    "reuse",
    "Graph(",
    "reset_default_graph",
    "make_template",
    "tf.function",
    "variable_creator",
)


@rule(
    "R668",
    since="0.2",
    needs=("get_variable",),
    prevents=("uncaught-exception",),
)
def variable_name_twice(source: Source) -> Iterator[Finding]:
    """`get_variable` is called twice with one name in one scope.

    ## Why it is bad
    The second call ends with "Variable … already exists, disallowed", unless the scope says `reuse`.

    ## Bad
        with tf.compat.v1.Session() as session:
            first = tf.compat.v1.get_variable("weights", [3])
            second = tf.compat.v1.get_variable("weights", [3])
            session.run(tf.compat.v1.global_variables_initializer())

    ## Good
        with tf.compat.v1.Session() as session:
            first = tf.compat.v1.get_variable("weights_of_first", [3])
            second = tf.compat.v1.get_variable("weights_of_second", [3])
            session.run(tf.compat.v1.global_variables_initializer())
    """
    if any(word in source.text for word in OTHER_SCOPES):
        return
    seen = set()
    for step in source.steps:
        if (
            source.called(step.call.func) != "tf.get_variable"
            or step.branch
            or source.is_caught(step.call)
        ):
            continue
        roots = source.origins.roots(source.argument(step.call, 0, "name"), step.frame)
        name = (
            roots[0].node.value
            if len(roots) == 1 and isinstance(roots[0].node, ast.Constant)
            else None
        )
        repeated = (
            any(source.turns_of(loop) > 1 for loop in step.loops)
            and roots
            and roots[0].frame is None
        )
        if isinstance(name, str) and (name in seen or repeated):
            yield Finding(
                f"There is a variable `{name}` already: this line ends with ValueError.",
                remedies=(
                    Remedy(
                        "Use another name, or tf.compat.v1.variable_scope(name, reuse=tf.compat.v1.AUTO_REUSE)."
                    ),
                ),
                where=source.place(step.call),
            )
            return
        seen.add(name)
