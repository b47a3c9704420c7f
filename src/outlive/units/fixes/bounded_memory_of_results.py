"""A memory of results that forgets the oldest."""

from __future__ import annotations

import ast

from outlive.model.memory import Holder
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

#: Of the limit: what a memory of results may take.
SHARE = 0.2


@fix("F112", since="0.2", heals=("kept-in-container",))
def bounded_memory_of_results(case: FixCase) -> Answer:
    """A cache of results (`lru_cache`, or a dictionary that is looked up before it is filled) drops its oldest entry when it is full.

    ## What it changes
    `maxsize` of the cache becomes a number that fits in a fifth of the limit; a dictionary drops its oldest entry when it is full.

    ## When it is offered
    The container is a cache: `functools.lru_cache`, `functools.cache`, or a dictionary that is only looked up by key,
    and filled where the key was missing.

    ## What becomes of the results
    They stay the same: what was dropped is computed again.
    """
    holder = held(case)
    most = entries_that_fit(case, holder)
    if holder is None or not most:
        return None
    return _decorated(case, holder, most) or _dictionary(case, holder, most)


def held(case: FixCase) -> Holder | None:
    """The container that a finding is about."""
    for holders in case.evidence.growth.holders.values():
        for holder in holders:
            if case.finding.says.startswith(holder.kept):
                return holder
    return None


def entries_that_fit(case: FixCase, holder: Holder | None) -> int:
    """How many of its elements fit in a fifth of the limit, to two digits."""
    room = case.evidence.memory.room()
    if holder is None or not room or not holder.counted or not holder.bytes:
        return 0
    count = int(SHARE * room / max(1, holder.bytes / holder.counted))
    step = int("1" + "0" * max(0, len(str(count)) - 2))
    return count // step * step


def _decorated(case: FixCase, holder: Holder, most: int) -> Patch | None:
    says = f"Let the cache keep {most} results; the oldest are computed again."
    for function in case.source.tree.functions:
        if function.name != holder.name.rpartition(".")[2]:
            continue
        for word in function.decorator_list:
            bare = word.func if isinstance(word, ast.Call) else word
            called = case.source.called(bare)
            if called == "functools.cache":
                written, imports = case.imported("functools.lru_cache")
                return Patch(says, (*imports, case.replaced(word, f"{written}(maxsize={most})")))
            if called == "functools.lru_cache" and isinstance(word, ast.Call):
                size = case.argument(word, "maxsize", 0)
                if size is not None:
                    return Patch(says, (case.replaced(size, str(most)),))
    return None


def _dictionary(case: FixCase, holder: Holder, most: int) -> Patch | None:
    statement = case.statement
    if not isinstance(statement, ast.Assign) or not case.stands_alone(statement):
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Subscript):
        return None
    name = case.source.segment(target.value)
    asked = False
    for use in case.uses(name):
        above = case.source.tree.parent(use)
        if (isinstance(above, ast.Compare) and isinstance(above.ops[0], ast.In | ast.NotIn)) or (
            isinstance(above, ast.Attribute) and above.attr == "get"
        ):
            asked = True
        elif not (isinstance(above, ast.Subscript) and above.value is use) and not isinstance(
            above, ast.Assign | ast.AnnAssign
        ):
            return None
    if not asked or last_name(target.value) != holder.name.rpartition(".")[2]:
        return None
    return Patch(
        f"Let `{name}` keep the newest {most} results; older ones are computed again.",
        (
            case.line_above(statement, f"if len({name}) >= {most}:\n{case.indent_of(statement)}    del {name}[next(iter({name}))]"),
        ),
    )  # fmt: skip
