"""What TensorFlow itself keeps: its allocator's bytes, functions traced again and again, graphs that grow, tapes that record.

What a TensorFlow does not have (see ``tf_private``) is left out. No context is made, and no operation is run but one that reads.
"""

from __future__ import annotations

from ..notes import tf_private
from .census import locals_of, text_of
from .named_containers import frames_of_others
from .sizes import class_name, container_kind, defines, elements, len_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

    from .named_containers import Path, Scope

#: Of many traces the newest tell what differs.
TRACES_COMPARED = 12
EXAMPLES = 3
LONGEST_EXAMPLE = 40

#: Fewer operations are no graph that grows.
SMALLEST_GRAPH = 200
#: … unless its constants are heavy: an array at every step fills a gigabyte in sixty steps.
SMALLEST_HEAVY_GRAPH = 30
HEAVY_BYTES = 20_000_000
#: The newest operations, to see what is added over and over.
NEWEST = 400
DEEPEST_STACK = 60
MOST = 6

#: Of a pipeline with a dozen stages it has three thousand bytes.
LONGEST_MODEL = 20_000
THIS_MACHINE = "/job:localhost/"


def tensor_bytes() -> Optional[int]:
    """What TensorFlow's allocator has handed out on the CPU; None before it was used, or when it does not count."""
    try:
        return tf_private.allocated_bytes()
    except Exception:
        return None


def buffered_in(iterators: Sequence[Any]) -> List[str]:
    """What the stages of running pipelines hold now, as TensorFlow's own model of each tells it: protocol buffers, in hexadecimal digits.

    A third of a millisecond each. Pipelines that run on another machine, or inside a traced function, are not asked.
    """
    context = tf_private.running_context()
    if context is None:
        return []
    found: List[str] = []
    for iterator in iterators:
        try:
            handle = tf_private.iterator_handle(iterator)
            if len(found) < MOST and handle.device.startswith(THIS_MACHINE):
                model = tf_private.iterator_model(context, handle)
                found += [model.hex()] if len(model) <= LONGEST_MODEL else []
        except Exception:
            pass  # its model is switched off, or another TensorFlow
    return found


class Traces:
    """Functions made by ``tf.function``, and how often each was traced."""

    def __init__(self) -> None:
        self.found: List[Dict[str, Any]] = []

    def see(self, value: Any, path: Path, scope: Scope) -> None:
        """One value that the user's code can reach."""
        kind = type(value)
        if text_of(kind, "__module__").startswith(tf_private.FUNCTIONS) and defines(
            kind, "experimental_get_tracing_count"
        ):
            try:
                self._count(value, path[-1][1])
            except Exception:
                pass

    def _count(self, value: Any, name: str) -> None:
        bound = tf_private.bound_functions(value)
        count = sum(int(one.experimental_get_tracing_count()) for one in [value, *bound])
        if count < 2:
            return
        code = value.python_function.__code__
        entry = {
            "name": name,
            "count": count,
            "file": code.co_filename,
            "line": code.co_firstlineno,
            "function": code.co_name,
        }
        try:
            entry.update(differing([value, *bound]))
        except Exception:
            pass
        self.found.append(entry)


def differing(functions: List[Any]) -> Dict[str, Any]:
    """The argument that is not the same from trace to trace, with examples of what it was."""
    signatures = max((tf_private.signatures_of(one) for one in functions), key=len)
    signatures = signatures[-TRACES_COMPARED:]
    best: Dict[str, Any] = {}
    most = 1
    for name in signatures[-1] if signatures else ():
        types = [signature[name].type_constraint for signature in signatures if name in signature]
        marks = [mark_of(one) for one in types]
        if len(set(marks)) > most:
            most = len(set(marks))
            words = list(dict.fromkeys(words_of(one)[:LONGEST_EXAMPLE] for one in types))
            best = {"argument": str(name), "examples": words[-EXAMPLES:]}
    return best


def mark_of(constraint: Any) -> str:
    """What tells two traces' arguments apart: for an object, which one it is."""
    one = tf_private.is_weak_reference(constraint)
    return f"{words_of(constraint)} {id(tf_private.referred_by(constraint)) if one else ''}"


def words_of(constraint: Any) -> str:
    """An argument as a person would say it: numbers, shapes and classes, never a text."""
    kind = text_of(type(constraint), "__name__")
    if kind == "Literal":
        value = constraint.value
        known = value is None or type(value) in (int, float, bool)
        return f"{type(value).__name__} {value!r}" if known else f"a {type(value).__name__}"
    if kind == "Weakref":
        return f"an object of class {class_name(tf_private.referred_by(constraint))}"
    shape, dtype = getattr(constraint, "shape", None), getattr(constraint, "dtype", None)
    if dtype is not None:
        return f"{getattr(dtype, 'name', dtype)} of shape {shape}"
    parts = getattr(constraint, "components", None)
    if parts is None:
        parts = getattr(getattr(constraint, "components_tuple", None), "components", None)
    if parts is None and isinstance(getattr(constraint, "mapping", None), dict):
        parts = tuple(constraint.mapping.values())
    if isinstance(parts, tuple):
        inner = ", ".join(words_of(part) for part in parts[:3])
        return f"{len(parts)} × ({inner}{', …' if len(parts) > 3 else ''})"
    return kind


class Graphs:
    """Graphs that the user's code can name, the default one, and those that are being traced now."""

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        self._is_own = is_own
        self._seen: Set[int] = set()
        self.found: List[Dict[str, Any]] = []

    def see(self, value: Any, path: Path, scope: Scope) -> None:
        """One value that the user's code can reach."""
        kind = type(value)
        if text_of(kind, "__module__") == tf_private.SESSIONS:
            self._add(tf_private.graph_of_session(value), path[-1][1])
        elif is_graph(kind):
            self._add(value, path[-1][1])

    def look_elsewhere(self) -> None:
        """Graphs that have no name in the user's code."""
        self._add(tf_private.default_graph(), "the default graph")
        for frame in frames_of_others():
            if frame.f_code.co_filename.endswith(tf_private.TRACING_FILE):
                graph = locals_of(frame).get("func_graph")
                self._add(graph, str(getattr(graph, "name", "")))
                del graph
            del frame

    def _add(self, graph: Any, name: str) -> None:
        if graph is None or id(graph) in self._seen or not is_graph(type(graph)):
            return
        self._seen.add(id(graph))
        try:
            count = int(graph.num_operations())
            if count < SMALLEST_HEAVY_GRAPH or len(self.found) >= MOST:
                return
            newest = self._newest(graph, count)
            if count >= SMALLEST_GRAPH or newest["bytes"] >= HEAVY_BYTES:
                self.found.append({"name": name, "operations": count, **newest})
        except Exception:
            pass

    def _newest(self, graph: Any, count: int) -> Dict[str, Any]:
        """What is added over and over: how many operations a step, how many bytes, by which line."""
        newest = list(graph.get_operations())[-NEWEST:]
        names = [without_number(operation.name) for operation in newest]
        last = len(names) - 1
        step = next((last - at for at in range(last - 1, -1, -1) if names[at] == names[last]), None)
        constants = sum(constant_bytes(operation) for operation in newest)
        found: Dict[str, Any] = {"step": step, "bytes": constants * count // len(newest)}
        for operation in newest[: -1 - (step or 1) : -1][:MOST]:
            frames = self._own_frames(operation)
            if frames:
                return {**found, "frames": frames}
        return found

    def _own_frames(self, operation: Any) -> List[Tuple[str, int, str]]:
        frames = [(one.filename, one.lineno, one.name) for one in list(operation.traceback)]
        own = [frame for frame in reversed(frames[-DEEPEST_STACK:]) if self._is_own(frame[0])]
        return own[:4]


def without_number(name: str) -> str:
    """``MatMul`` for ``MatMul_312``: TensorFlow numbers what is added again."""
    bare = name.rstrip("0123456789")
    return bare[:-1] if bare != name and bare.endswith("_") else name


def is_graph(kind: type) -> bool:
    """Whether a class is TensorFlow's ``Graph`` or derives from it."""
    return any(
        text_of(base, "__name__") == "Graph" and text_of(base, "__module__") == tf_private.GRAPHS
        for base in type.mro(kind)
    )


def constant_bytes(operation: Any) -> int:
    """What a constant carries; it lies in the graph, not in TensorFlow's allocator."""
    if operation.type != "Const":
        return 0
    shape = operation.outputs[0].shape
    if shape.rank is None:
        return 0
    return int(shape.num_elements() or 0) * int(operation.outputs[0].dtype.size or 1)


class Tapes:
    """Gradient tapes that record now, and containers that keep tapes."""

    def __init__(self) -> None:
        self.found: List[Dict[str, Any]] = []

    def see(self, value: Any, path: Path, scope: Scope) -> None:
        """One value that the user's code can reach."""
        if len(self.found) >= MOST:
            return
        place = {"path": [list(step) for step in path], "file": scope[0], "scope": scope[1]}
        if is_tape(value):
            # Paused (``stop_recording``, and while its gradient is taken) a persistent one keeps what it has, and goes on.
            persistent = tf_private.is_persistent(value)
            paused = persistent and tf_private.has_recorded(value)
            if paused or tf_private.is_recording(value):
                self.found.append({"id": id(value), "persistent": persistent, **place})
            return
        kind = container_kind(value)
        if (
            kind
            and len_of(value, kind) > 1
            and all(holds_tape(one) for one in elements(value, kind))
        ):
            self.found.append({"id": id(value), "kept": len_of(value, kind), **place})


def is_tape(value: Any) -> bool:
    """A ``tf.GradientTape``."""
    kind = type(value)
    named = (text_of(kind, "__module__"), text_of(kind, "__name__"))
    return named == (tf_private.TAPES, "GradientTape")


def holds_tape(value: Any) -> bool:
    """A tape, or a tuple with one in it."""
    if container_kind(value) in ("tuple", "list", "dict"):
        kind = container_kind(value)
        return len_of(value, kind) < 10 and any(is_tape(one) for one in elements(value, kind))
    return is_tape(value)
