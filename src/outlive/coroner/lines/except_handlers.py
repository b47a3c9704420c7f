"""Whether the handler that caught an exception left its function at once: looked for in the source code.

A program that logs an error and goes on may end for another reason. Only of one whose handler ends with a ``return`` (or raises, or calls
``sys.exit``) is it known that nothing came after.
"""

from __future__ import annotations

from outlive.coroner.readings.readings import Readings
from outlive.model.events import Thrown
from outlive.source.lines import caught_by, handlers_around, leaves


def handler_leaves(readings: Readings, error: Thrown) -> bool:
    """Whether the handler around the outermost line of a traceback, which is where it was caught, ends by leaving."""
    for place in error.frames[-1:]:
        for handler in handlers_around(readings.lines.tree(place.file), place.line):
            names = caught_by(handler)
            if error.is_a(*names) or "BaseException" in names:
                return leaves(handler.body[-1])
    return False
