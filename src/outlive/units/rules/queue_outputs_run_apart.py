"""Two parts of one element that are fetched by two runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

WORDS = frozenset({"dequeue", "get_next"})
BATCHERS = ("tf.train.batch", "tf.train.shuffle_batch", "tf.train.slice_input_producer")


@rule(
    "R645",
    since="0.2",
    needs=(
        "dequeue",
        "get_next",
        "batch",
    ),
    prevents=("uncaught-exception",),
)
def queue_outputs_run_apart(source: Source) -> Iterator[Finding]:
    """The parts of one element are fetched by separate runs, and each run takes another element.

    ## Why it is bad
    Every `session.run` that needs a queue or an iterator takes the next element from it. Fetched one after the other, the picture belongs to one
    element and the label to the next: a model learns nothing, and the data ends in half the time.

    ## Bad
        with tf.compat.v1.Session() as session:
            queue = tf.queue.FIFOQueue(10, [tf.float32, tf.int32])
            picture, label = queue.dequeue()
            print(session.run(picture))
            print(session.run(label))

    ## Good
        with tf.compat.v1.Session() as session:
            queue = tf.queue.FIFOQueue(10, [tf.float32, tf.int32])
            picture, label = queue.dequeue()
            print(session.run([picture, label]))
    """
    runs = [run for run in source.sessions.runs if len(run.fetches) == 1 and run.feed is None]
    told = set()
    for first in runs:
        for second in runs:
            one, other = _element(source, first.fetches[0]), _element(source, second.fetches[0])
            if one is None or other is None or one[0] is not other[0] or one[1] >= other[1]:
                continue
            if source.tree.statement(first.call) is None or not _together(
                source, first.call, second.call
            ):
                continue
            later = max(first.call, second.call, key=lambda call: (call.lineno, call.col_offset))
            if later not in told:
                told.add(later)
                yield Finding(
                    "This run takes another element than the run before it: the parts do not belong together.",
                    remedies=(
                        Remedy(
                            "Fetch them together: first, second = session.run([first, second])."
                        ),
                    ),
                    where=source.place(later),
                )


def _element(source: Source, fetched: ast.expr) -> tuple[ast.expr, int] | None:
    """The call that takes an element, and which part of it is fetched."""
    roots = source.origins.roots(fetched)
    only = roots[0] if len(roots) == 1 else None
    if only is None or only.part is None or not isinstance(only.node, ast.Call):
        return None
    word = only.node.func.attr if isinstance(only.node.func, ast.Attribute) else ""
    taken = word in WORDS and not source.called(only.node.func)
    return (only.node, only.part) if taken or source.origins.called(only) in BATCHERS else None


def _together(source: Source, one: ast.Call, other: ast.Call) -> bool:
    """Whether two calls stand in the same block."""
    return source.tree.parent(source.tree.statement(one) or one) is source.tree.parent(
        source.tree.statement(other) or other
    )
