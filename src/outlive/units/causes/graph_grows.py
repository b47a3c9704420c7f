"""Operations are added to a graph at every step."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_LIMIT,
    OPERATIONS_FIRST_SAMPLE,
    OPERATIONS_LAST_SAMPLE,
    PEAK_MEMORY,
)
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import BEHIND_GROWTH, cause

#: A graph that is still being built grows too; one that fills the memory grows by much of itself between two looks.
FEWEST_NEW = 100
GROWN = 1.1

#: Fewer are enough when what they carry weighs this part of the limit: a picture as a constant at every step.
FEWEST_HEAVY = 30
HEAVY_PART = 0.05


@cause(
    "D113",
    since="0.2",
    behind=BEHIND_GROWTH,
    searched=(
        "tensorflow gets slower every iteration",
        "tf.Session memory grows in loop",
        "GraphDef cannot be larger than 2GB",
        "tensorflow memory leak",
    ),
)
def graph_grows(evidence: Evidence) -> Iterator[Finding]:
    """A TensorFlow graph got new operations at every step, and a graph never forgets one.

    ## What happened
    In a loop around `session.run` (or inside `tf.function`, where a Python loop is unrolled) the program calls TensorFlow functions
    instead of running what was built before. Each call adds operations to the graph, and a constant made from an array adds a copy
    of the array. The program gets slower from step to step, and its memory grows until it is killed.

    ## How we know
    When memory was high, TensorFlow's own count of the graph's operations was high, and higher in each sample.
    Every operation knows the line that made it; the newest operations name the line.

    ## What to do
    Build the graph once, before the loop; feed what changes through a placeholder or a variable. `graph.finalize()`
    before the loop turns the first operation added by mistake into an error that names its line. In a `tf.function`,
    loop over `tf.range`, not `range`.
    """
    for pid in evidence.memory.exhausted():
        looks = evidence.growth.looks.get(pid)
        for graph in looks.graphs[:1] if looks else ():
            new = graph.operations - graph.first_operations
            heavy = looks is not None and graph.bytes >= HEAVY_PART * looks.ledgers[-1].limit_bytes
            fewest = FEWEST_HEAVY if heavy else FEWEST_NEW
            if new < fewest or graph.operations < GROWN * graph.first_operations:
                continue
            each = f", about {graph.per_step} per step" if graph.per_step else ""
            weighs = f"; its constants alone take {size(graph.bytes)}" if graph.bytes > 1e7 else ""
            yield Finding(
                f"The graph `{graph.name}` has {graph.operations} operations and is still growing{each}{weighs}.",
                (
                    Fact(OPERATIONS_FIRST_SAMPLE, graph.first_operations, "tf.Graph"),
                    Fact(OPERATIONS_LAST_SAMPLE, graph.operations, "tf.Graph"),
                    *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
                ),
                Confidence.LIKELY,
                (
                    Remedy(
                        "Build the operations of this line once, before the loop, and only run them inside it."
                    ),
                    Remedy(
                        "To find every such line, forbid new operations before the loop.",
                        ("tf.compat.v1.get_default_graph().finalize()",),
                    ),
                ),
                where=graph.place or evidence.growth.growing_line(pid),
            )
