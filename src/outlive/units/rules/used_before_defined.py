"""A name that is used above the line which defines it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Who has one of these may bind names that are not written down.
UNSEEN = ("globals()", "exec(", "import *", "%run", "%pylab", "TYPE_CHECKING", "get_ipython")
LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.If, ast.Try, ast.While, ast.arg)  # fmt: skip


@rule(
    "R670",
    since="0.2",
    prevents=("uncaught-exception", "stale-notebook-state"),
)
def used_before_defined(source: Source) -> Iterator[Finding]:
    """A line at the top of the program, or a cell, uses a name that only later lines define.

    ## Why it is bad
    The line ends with `NameError` when the program runs from its beginning. In a notebook it worked because the cells were run in another order; "Restart and
    run all" stops there.

    ## Bad
        print(batch_size)
        batch_size = 32
        dataset = tf.data.Dataset.range(100).batch(batch_size)

    ## Good
        batch_size = 32
        print(batch_size)
        dataset = tf.data.Dataset.range(100).batch(batch_size)
    """
    if any(source.every(ast.Global)) or any(word in source.text for word in UNSEEN):
        return
    told = set()
    body = (it for it in source.tree.module.body if not isinstance(it, LATER))
    for name in (it for statement in body for it in source.tree.inside(statement, ast.Name)):
        if (
            not isinstance(name.ctx, ast.Load)
            or name.id in told
            or not _is_at_the_top(source, name)
        ):
            continue
        bindings = source.names.bindings(name)
        if not bindings or source.is_caught(name) or source.is_given(name.id):
            continue
        first = min(bindings, key=lambda binding: binding.at)
        inside = any(up is first.node for up in source.tree.ancestors(name))
        starts = (getattr(first.node, "lineno", 0), getattr(first.node, "col_offset", 0))
        if any(binding.how == "import" and binding.at == (0, 0) for binding in bindings):
            starts = min((getattr(it.node, "lineno", 0), 0) for it in bindings)
        late = starts > (name.lineno, name.col_offset) or (
            inside and first.how in ("assign", "augment") and len(bindings) == 1
        )
        if late and first.how != "delete" and not source.loops(name):
            told.add(name.id)
            place = source.place(first.node)
            cell = f"cell {place.cell}, " if place.cell else ""
            yield Finding(
                f"`{name.id}` is only defined further down ({cell}line {place.line}): this line ends with NameError.",
                remedies=(Remedy("Move the line that defines it up."),),
                where=source.place(name),
            )


def _is_at_the_top(source: Source, name: ast.Name) -> bool:
    """Whether a name is read by a line of the module itself that is surely run."""
    return not any(isinstance(up, LATER) for up in source.tree.ancestors(name)) and not any(
        isinstance(up, ast.AnnAssign) for up in source.tree.ancestors(name)
    )
