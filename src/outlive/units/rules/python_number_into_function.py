"""A tf.function that is traced for every number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FEWEST_TURNS = 20


@rule("R205", since="0.1", needs=(".function", "import function"), prevents=("function-retraced",))
def python_number_into_function(source: Source) -> Iterator[Finding]:
    """A `tf.function` gets a Python number that changes in every iteration.

    ## Why it is bad
    For `tf.function` each new Python number is a new constant: it traces again and keeps every graph. After some
    thousand steps the memory is full of graphs, and every step takes as long as the first.

    ## Bad
        @tf.function
        def train_step(batch, step):
            return batch * tf.cast(step, tf.float32)

        for step in range(10_000):
            train_step(batch, step)

    ## Good
        @tf.function
        def train_step(batch, step):
            return batch * tf.cast(step, tf.float32)

        for step in tf.range(10_000):
            train_step(batch, step)
    """
    for call in source.every(ast.Call) if source.traced_functions else ():
        loops = source.loops(call)
        if not loops or source.traced(call):
            continue
        tracing = source.tracing(call.func)
        if tracing is None or (isinstance(tracing, ast.Call) and _converts(tracing)):
            continue
        for word in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(word, ast.Name) and _counts_up(source, word):
                name = source.segment(call.func)
                yield Finding(
                    f"`{name}` is traced again for every value of the Python number `{word.id}`.",
                    remedies=(
                        Remedy(f"Pass a tensor: tf.constant({word.id}), or loop over tf.range."),
                        Remedy("Or set a signature: @tf.function(input_signature=[…])."),
                    ),
                    where=source.place(word),
                )


def _converts(decorator: ast.Call) -> bool:
    """With a signature, or hints that are followed, numbers become tensors."""
    words = {keyword.arg for keyword in decorator.keywords}
    return bool(words & {"input_signature", "experimental_follow_type_hints"}) or (
        len(decorator.args) > 1
    )


def _counts_up(source: Source, name: ast.Name) -> bool:
    """The counter of a `for … in range(…)` or `enumerate(…)`, or a number that is added to in the loop."""
    bound = source.names.latest(name)
    if _is_changed_number(source, name):
        return True
    if bound is None or not isinstance(bound.node, ast.For):
        return False
    loop = bound.node
    if source.values.turns(loop) < FEWEST_TURNS or not isinstance(loop.iter, ast.Call):
        return False
    counted = source.called(loop.iter.func)
    if counted == "builtins.range":
        return isinstance(loop.target, ast.Name)
    if counted == "builtins.enumerate" and isinstance(loop.target, ast.Tuple):
        first = loop.target.elts[0]
        return isinstance(first, ast.Name) and first.id == name.id
    return False


def _is_changed_number(source: Source, name: ast.Name) -> bool:
    """`rate = rate * 0.9` or `step += 1` in a long loop, with a number to begin with."""
    begins, changes = False, False
    for binding in source.names.bindings(name):
        if (binding.how == "augment" and source.number(binding.value) is not None) or (
            binding.how == "assign" and _is_made_of_itself(source, binding.value, name.id)
        ):
            changes = changes or source.turns(binding.node) >= FEWEST_TURNS
        elif binding.how == "assign" and source.number(binding.value) is not None:
            begins = True
        else:
            return False
    return begins and changes


def _is_made_of_itself(source: Source, value: ast.expr | None, name: str) -> bool:
    if not isinstance(value, ast.BinOp):
        return isinstance(value, ast.Name) and value.id == name
    sides = (value.left, value.right)
    return any(_is_made_of_itself(source, side, name) for side in sides) and all(
        _is_made_of_itself(source, side, name) or source.number(side) is not None for side in sides
    )
