"""The line that raised ``SystemExit``: Python forgets the exception before anything can look at it, so its place is looked for in the
source code of the program.

Only asked when the program left in good order with a status that is not 0, and neither a call of ``sys.exit`` nor another exception
accounts for it. One line must fit alone, else nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from outlive.coroner.lines.own_files import own_files
from outlive.coroner.readings.readings import Readings
from outlive.inside.notes import kinds
from outlive.model.events import Origin, Quit, Stack, Thrown
from outlive.model.findings import Ending, EndingKind, Place
from outlive.source.lines import raised

CALL = "raise SystemExit"

#: A status that is computed where the exception is raised.
COMPUTED = ...


def raised_exit(
    readings: Readings,
    ending: Ending,
    errors: Sequence[Thrown],
    quits: Sequence[Quit],
    stacks: Sequence[Stack],
) -> tuple[Quit, ...]:
    """The raise that ended the program, if only one line of it can have been that."""
    principal = readings.principal
    if principal is None or ending.kind is not EndingKind.EXIT or not ending.exit_code:
        return ()
    leaving = principal.of_kind(kinds.LEAVING)
    called = any(q.pid == principal.pid and q.status == ending.exit_code for q in quits)
    failed = any(e.pid == principal.pid and e.origin is Origin.MAIN for e in errors)
    if not leaving or called or failed:
        return ()
    found = [
        (place, status)
        for file in own_files(readings, str(leaving[-1].get("main") or ""))
        for place, status in _raises(readings, file)
        if status is COMPUTED or Quit(CALL, _plain(status)).status == ending.exit_code
    ]
    found = list(dict.fromkeys(found))  # one file may be known by its path and by its name
    exact = [(place, status) for place, status in found if status is not COMPUTED]
    candidates = exact or found
    if len(candidates) > 1:  # the one in a function that was running last
        last = {(f.file, f.function) for stack in stacks[:1] for f in stack.frames}
        candidates = [one for one in candidates if (one[0].file, one[0].function) in last]
    if len(candidates) != 1:
        return ()
    place, status = candidates[0]
    code = ending.exit_code if status is COMPUTED else _plain(status)
    return (Quit(CALL, code, (place,), principal.pid),)


def _plain(status: object) -> str | int | None:
    return status if isinstance(status, str | int) or status is None else 1


def _raises(readings: Readings, file: str) -> list[tuple[Place, object]]:
    """Where a file raises ``SystemExit``, and with which status."""
    tree = readings.lines.tree(file)
    return [
        (
            readings.lines.place([file, line, tree.function_name_at(line)]),
            _status(given[0]) if given else None,
        )
        for line, given in raised(tree, "SystemExit")
    ]


def _status(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    return "" if isinstance(node, ast.JoinedStr) else COMPUTED
