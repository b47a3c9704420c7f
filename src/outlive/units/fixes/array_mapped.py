"""An array of a file that is read where it is needed."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix(
    "F126",
    since="0.2",
    heals=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "allocation-refused",
        "address-space-limit",
        "widened-dtype",
    ),
)
def array_mapped(case: FixCase) -> Answer:
    """The array stays in its file, and only the parts that are used are read (`mmap_mode="r"`).

    ## What it changes
    `np.load(path)` gets `mmap_mode="r"`.

    ## When it is offered
    The line that ran when memory ran out loads a file of an array, or uses one that was loaded whole.

    ## What becomes of the results
    They stay the same; a program that writes into the array gets an error and must copy the part first.
    """
    loads = [call for call in case.source.calls("numpy.load") if _is_whole(case, call)]
    on_line = [call for call in loads if call in case.calls()]
    if not on_line and case.finding.slug != "memory-limit-reached":
        return None
    wanted = on_line or _used(case, loads)
    if not wanted:
        return None
    return Patch(
        "Read the array from its file as it is used.",
        tuple(case.one_argument_more(call, 'mmap_mode="r"') for call in wanted),
    )


def _is_whole(case: FixCase, call: ast.Call) -> bool:
    path = call.args[0] if call.args else None
    packed = isinstance(path, ast.Constant) and str(path.value).endswith(".npz")
    pickled = any(word.arg == "allow_pickle" for word in call.keywords)
    return not packed and not pickled and case.argument(call, "mmap_mode", 1) is None


def _used(case: FixCase, loads: list[ast.Call]) -> list[ast.Call]:
    """The loads whose array the line uses."""
    bound = [case.source.names.latest(name) for name in case.names_at_line()]
    return [call for call in loads if any(one is not None and one.value is call for one in bound)]
