"""A saver that is made before the variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

MAKERS = ("tf.Variable", "tf.get_variable", "tf.layers.dense", "tf.layers.conv2d")
#: Modules that make no variable.
QUIET = ("tf.", "builtins.", "numpy.", "os.", "sys.", "time.", "random.", "math.")
MAKING = ("tf.layers.", "tf.contrib.", "tf.train.", "tf.nn.", "tf.global_step")


@rule(
    "R666",
    since="0.2",
    needs=("Saver",),
    prevents=("uncaught-exception",),
)
def saver_without_variables(source: Source) -> Iterator[Finding]:
    """A saver is made before there is any variable.

    ## Why it is bad
    `Saver()` keeps the list of the variables that exist when it is made. With none the line ends with "No variables to save"; those that are
    made later are in no checkpoint.

    ## Bad
        with tf.compat.v1.Session() as session:
            saver = tf.compat.v1.train.Saver()
            weights = tf.compat.v1.get_variable("weights", [3])
            session.run(tf.compat.v1.global_variables_initializer())

    ## Good
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            saver = tf.compat.v1.train.Saver()
            session.run(tf.compat.v1.global_variables_initializer())
    """
    if any(word in source.text for word in ("import_meta_graph", "import_graph_def", "Estimator")):
        return
    made = False
    for step in source.steps:
        called = source.called(step.call.func)
        if called == "tf.train.Saver":
            later = [it for it in source.steps if source.called(it.call.func) in MAKERS]
            if (
                not made
                and later
                and not step.call.args
                and not source.argument(step.call, None, "var_list", "defer_build")
            ):
                yield Finding(
                    "There is no variable yet when this saver is made: the line ends with ValueError.",
                    remedies=(Remedy("Make it after the variables."),),
                    where=source.place(step.call),
                )
            return
        made |= called in MAKERS or _may_make(source, called, step.call)


def _may_make(source: Source, called: str, call: ast.Call) -> bool:
    """Whether a call may make variables in a way that is not seen here: another module's function, or a method of some object."""
    known = source.names.definition(call.func) is not None
    return called.startswith(MAKING) or not (known or called.startswith(QUIET))
