"""A number that is handed to a traced function as a tensor."""

from __future__ import annotations

from outlive.model.findings import Edit, Remedy, Wrap
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

#: Of the scans: at so many there were more traces than before.
MOST_SCANS = 0.6


@fix("F107", since="0.2", heals=("function-retraced", "memory-limit-reached"))
def number_as_tensor(case: FixCase) -> Answer:
    """The number that changes from call to call is handed over as a tensor.

    ## What it changes
    `tf.constant(…)` around the argument that was new at each trace.

    ## When it is offered
    The argument is a Python number, and the program calls the function in one place: the function whose traces were counted, or one
    that was traced more often at each scan while the line that calls it filled the memory.

    ## What becomes of the results
    They stay the same, except in a function that uses the number in Python code (`range(n)`, `if n > 3`): TensorFlow
    turns that into a loop or a branch of the graph.
    """
    edits = case.by_remedy() if case.finding.slug == "function-retraced" else _traced_at(case)
    if not edits:
        return None
    return Patch("Pass the number as a tensor, so that one trace serves all.", edits)


def _traced_at(case: FixCase) -> tuple[Edit, ...]:
    """The edits for a function that the growing line calls, and that had more traces at most of the scans."""
    called = {last_name(call.func) for call in case.calls()}
    for traced in case.evidence.growth.traced.get(case.evidence.run.program.pid, ()):
        numbers = [one for one in traced.examples if one.startswith(("float ", "int "))]
        name = traced.place.function.rpartition(".")[2]
        new = traced.argument and traced.examples and len(numbers) == len(traced.examples)
        if new and name in called and traced.rises >= MOST_SCANS * (traced.looks - 1) > 0:
            wrap = Wrap(name, traced.argument, "tf.constant")
            return case.edits_of(Remedy("Pass it as a tensor.", changes=(wrap,)))
    return ()
