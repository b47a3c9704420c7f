"""Which line made the node of a graph that an error names.

TensorFlow's own errors often say "stack traces unavailable", but a graph, while it lives, knows where each of its nodes was made.
"""

from __future__ import annotations

import re

from ..notes.describe import bounded

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Iterable, List, Optional, Tuple

NODE = r"(?:\{\{function_node ([^}]{0,400})\}\})?\{\{node ([^}]{1,400})\}\}"
DETECTED = r"Detected at node (\S{1,400}) defined at"
CALLED = r"\[Op:__inference_(\S{1,400}?)_\d{1,20}\]"


def made_in(graphs: Iterable[Any], message: str) -> Optional[Tuple[str, List[Any]]]:
    """The kind of the node that a message is about, and the lines that made it, innermost first; the newest graph first."""
    node, functions = node_in(message)
    if not node:
        return None
    found: List[Tuple[bool, Any]] = []
    for graph in graphs:
        operation = named(graph, node)
        if operation is not None:
            found.append((str(graph.name) in functions, operation))
    if not found:
        return None
    best = max(found, key=lambda pair: pair[0])[1]  # the newest of those whose function fits
    return str(best.type), lines_of(best)


def node_in(message: str) -> Tuple[str, List[str]]:
    """The node that a message names, and the functions that it may belong to."""
    found = re.search(NODE, message)
    detected = re.search(DETECTED, message)
    called = re.search(CALLED, message)
    node = found.group(2) if found else detected.group(1) if detected else ""
    functions = [found.group(1) or ""] if found else []
    return node, [*functions, called.group(1) if called else ""]


def named(graph: Any, node: str) -> Any:
    """The operation of this name, if the graph has one."""
    try:
        return graph.get_operation_by_name(node)
    except (KeyError, ValueError):
        return None


def lines_of(operation: Any) -> List[Any]:
    """The stack that made a node, innermost first."""
    frames = [(entry.filename, int(entry.lineno), entry.name) for entry in operation.traceback]
    return bounded(frames[::-1])
