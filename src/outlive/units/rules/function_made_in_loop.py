"""A tf.function that is made again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: A handful of functions, one for each fold or each size, is nothing.
FEWEST_TURNS = 10


@rule(
    "R204",
    since="0.1",
    needs=(".function", "import function"),
    prevents=("function-retraced", "graph-grows"),
)
def function_made_in_loop(source: Source) -> Iterator[Finding]:
    """A `tf.function` is created inside a loop.

    ## Why it is bad
    Each iteration creates a new function, which traces and keeps a new graph. Time and memory grow with the number of iterations until the program is killed.

    ## Bad
        for step in range(1000):
            train = tf.function(train_step)
            train(batch)

    ## Good
        train = tf.function(train_step)
        for step in range(1000):
            train(batch)
    """
    made: list[tuple[ast.AST, ast.expr | None]] = [
        (call, source.argument(call, 0, "func")) for call in source.calls("tf.function")
    ]
    for function in source.every(ast.FunctionDef):
        decorator = source.traced_decorator(function)
        if decorator is not None:
            made = [(call, what) for call, what in made if call is not decorator]
            made.append((function, None))
    for node, what in made:
        loops = source.loops(node) or source.loops_of_uses(node)
        turns = max((source.values.turns(loop) for loop in loops), default=0)
        if _is_property(source, node):
            yield Finding(
                "A new `tf.function` is created every time this property is read.",
                remedies=(
                    Remedy("Create it once: in __init__, or with functools.cached_property."),
                ),
                where=source.place(node),
            )
            continue
        if turns < FEWEST_TURNS or source.traced(loops[0]) or _is_kept(source, node):
            continue
        if not _belongs_to_the_turn(what, loops[0]):
            yield Finding(
                "A `tf.function` is created again in every iteration of a loop.",
                remedies=(Remedy("Create it once, above the loop."),),
                where=source.place(node),
            )


def _is_property(source: Source, node: ast.AST) -> bool:
    """`@property` gives back what is made anew at each look."""
    function = source.tree.function(node)
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    asked = any(source.called(it) == "builtins.property" for it in decorators)
    return asked and isinstance(source.tree.parent(node), ast.Return)


def _belongs_to_the_turn(what: ast.expr | None, loop: ast.AST) -> bool:
    """`for part in parts: traced.append(tf.function(part))`: each turn has its own."""
    target = getattr(loop, "target", None)
    names = (
        {node.id for node in ast.walk(target) if isinstance(node, ast.Name)} if target else set()
    )
    used = {node.id for node in ast.walk(what) if isinstance(node, ast.Name)} if what else set()
    return bool(names & used)


def _is_kept(source: Source, node: ast.AST) -> bool:
    """Stored under a key or an attribute: made once for each, as a rule."""
    above = source.tree.parent(node)
    if isinstance(above, ast.Assign):
        return any(isinstance(target, ast.Subscript | ast.Attribute) for target in above.targets)
    return isinstance(above, ast.Dict | ast.List | ast.Tuple | ast.Return)
