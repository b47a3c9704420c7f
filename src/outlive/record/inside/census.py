"""What keeps the memory? Taken only when memory is in danger: which containers of the user's code are large, and how large.

It begins at what the user's code can name (globals of its modules, locals of its running functions, attributes of its objects) and
never asks the garbage collector: no walk over the whole heap, no half-built objects. It calls nothing of the user's: sizes of
containers are taken with the methods of the built-in types, contents are weighed by a few samples. Bounded in time; a failure
costs nothing but the answer.
"""

from __future__ import annotations

import os
import sys
import time
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight

from .memory import private_bytes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Tuple

    from .journal import Journal

    Step = Tuple[str, str]

#: Below this share of the limit nothing is in danger, and nothing is looked at.
DANGER = 0.5
#: One census for each such step of growth: a dozen on the way to the limit.
STEP = 0.04
SECONDS = 0.06
SECONDS_BETWEEN_LIMITS = 2.0

SMALLEST_BYTES = 4_000_000
MOST_REPORTED = 6
SAMPLED_ELEMENTS = 12
#: A container with few elements is looked into; one with many is weighed.
FEW_ELEMENTS = 24
DEEPEST = 5
OPTIMIZED = 0x1  # co_flags: the locals are not a dictionary of the program's own

PLAIN: Any = object  # its own __sizeof__: a class may have put anything in its place
TRACED_MODULE = "tensorflow.python.eager.polymorphic_function"
CONTAINERS = (("dict", dict), ("list", list), ("deque", deque), ("set", set), ("set", frozenset))
#: A function that uses one of these may hold on to the dictionary of its locals.
ASKS_FOR_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir", "f_locals"})
FUNCTION = type(lambda: None)
GENERATOR: Any = type((lambda: (yield))())


class Census:
    """Decides when to look, looks, and writes down what it found."""

    def __init__(self, journal: Journal, folder: str, is_own: Callable[[str], bool]) -> None:
        self._journal = journal
        self._limit_path = os.path.join(folder, "limit")
        self._is_own = is_own
        self._limit: Optional[int] = None
        self._limit_read = 0.0
        self._last_rss = 0

    def consider(self, rss: int) -> None:
        """Called at every tick with the memory in use; nearly always returns at once."""
        limit = self._current_limit()
        if not limit or rss < DANGER * limit or rss - self._last_rss < STEP * limit:
            return
        self._last_rss = rss
        began = time.perf_counter()
        # While we look, the program stands still: what we hold for a moment must never become the last reference to it, or
        # its __del__ would run in this thread.
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SECONDS * 2)
        try:
            search = Search(self._is_own, began + SECONDS)
            held, traced = search.held(), search.traced
        except Exception as error:
            self._journal.note("census", rss=rss, failed=f"{type(error).__name__}: {error}"[:200])
            return
        finally:
            sys.setswitchinterval(interval)
        took = round((time.perf_counter() - began) * 1000, 1)
        self._journal.note(
            "census",
            rss=rss,
            own=private_bytes(),
            limit=limit,
            took_ms=took,
            held=held,
            traced=traced,
        )

    def _current_limit(self) -> Optional[int]:
        """The supervisor writes the smallest limit above the program into a link: reading one opens nothing."""
        now = time.monotonic()
        if now - self._limit_read >= SECONDS_BETWEEN_LIMITS:
            self._limit_read = now
            try:
                self._limit = int(os.readlink(self._limit_path))
            except (OSError, ValueError):
                pass  # none is known
        return self._limit


class Search:
    """One look at everything that the user's code can name."""

    def __init__(self, is_own: Callable[[str], bool], deadline: float) -> None:
        self._is_own = is_own
        self._deadline = deadline
        self._found: Dict[int, Dict[str, Any]] = {}
        self._visited: Set[int] = set()
        self.traced: List[
            Dict[str, Any]
        ] = []  # functions that TensorFlow traces, and how often it has

    def held(self) -> List[Dict[str, Any]]:
        """The largest containers, with every name they go by."""
        for frame in self._own_frames():
            code = frame.f_code
            scope = (code.co_filename, code.co_name)
            self._visit_names(locals_of(frame), scope)
            del frame
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and self._is_own(file):
                self._visit_names(dict(module.__dict__), (file, "<module>"))
        found = sorted(self._found.values(), key=lambda entry: -entry["bytes"])
        return found[:MOST_REPORTED]

    def _own_frames(self) -> Iterable[Any]:
        import _thread

        mine = _thread.get_ident()
        for ident, frame in sys._current_frames().items():
            depth = 0
            inner: Any = frame
            while ident != mine and inner is not None and depth < 100:
                if self._is_own(inner.f_code.co_filename):
                    yield inner
                inner, depth = inner.f_back, depth + 1

    def _visit_names(self, names: Dict[str, Any], scope: Tuple[str, str]) -> None:
        for name, value in names.items():
            if not name.startswith("__"):
                self._visit(value, (("name", str(name)),), scope, 0)

    def _visit(
        self, value: Any, path: Tuple[Step, ...], scope: Tuple[str, str], depth: int
    ) -> None:
        if depth > DEEPEST or time.perf_counter() > self._deadline:
            return
        kind = container_kind(value)
        if kind:
            self._weigh_container(value, kind, path, scope)
        if id(value) in self._visited:
            return
        self._visited.add(id(value))
        if not kind and is_traced(value):
            self.traced += traces_of(value, path[-1][1])
        for step, inner, inner_scope in self._parts(value, kind, scope):
            self._visit(inner, (*path, step) if step else path, inner_scope, depth + 1)

    def _parts(
        self, value: Any, kind: str, scope: Tuple[str, str]
    ) -> Iterable[Tuple[Any, Any, Any]]:
        """What a value leads to, with the step that leads there."""
        if kind == "dict" and dict.__len__(value) <= FEW_ELEMENTS:
            for key, inner in list(dict.items(value)):
                yield ("key", key if isinstance(key, str) else ""), inner, scope
        elif kind in ("list", "deque", "tuple") and len_of(value, kind) <= FEW_ELEMENTS:
            for inner in every_element(value, kind):
                yield ("key", ""), inner, scope
        elif type(value) is FUNCTION and self._is_own(value.__code__.co_filename):
            own = (value.__code__.co_filename, value.__name__)
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
                try:
                    yield ("name", name), cell.cell_contents, own
                except ValueError:
                    continue
        elif type(value) is GENERATOR and value.gi_frame is not None:
            code = value.gi_frame.f_code
            if self._is_own(code.co_filename):
                for name, inner in locals_of(value.gi_frame).items():
                    yield ("name", name), inner, (code.co_filename, code.co_name)
        elif text_of(type(value), "__name__") == "_lru_cache_wrapper":
            yield from self._cache(value)
        else:
            yield from self._attributes(value, scope)

    def _cache(self, value: Any) -> Iterable[Tuple[Any, Any, Any]]:
        """An ``lru_cache``: its dictionary can only be reached as the collector reaches it."""
        import gc

        code = getattr(getattr(value, "__wrapped__", None), "__code__", None)
        if code is not None and self._is_own(code.co_filename):
            for inner in gc.get_referents(value):
                if type(inner) is dict and inner is not getattr(value, "__dict__", None):
                    yield (
                        ("cache", code.co_name),
                        inner,
                        (code.co_filename, str(code.co_firstlineno)),
                    )

    def _attributes(self, value: Any, scope: Tuple[str, str]) -> Iterable[Tuple[Any, Any, Any]]:
        """Attributes of the user's own objects and classes, and of the standard library's queues."""
        kind = value if issubclass(type(value), type) else type(value)
        file = self._file_of(kind)
        if file is None and text_of(kind, "__module__") not in ("queue", "threading"):
            return
        try:
            names = dict(object.__getattribute__(value, "__dict__"))
        except (AttributeError, TypeError):
            return
        for name, inner in names.items():
            if not str(name).startswith("__"):
                own = (file, text_of(kind, "__name__"))
                yield ("attr", str(name)), inner, own if file else scope

    def _file_of(self, kind: type) -> Optional[str]:
        module = sys.modules.get(text_of(kind, "__module__"))
        file = getattr(module, "__file__", None)
        return file if isinstance(file, str) and self._is_own(file) else None

    def _weigh_container(
        self, value: Any, kind: str, path: Tuple[Step, ...], scope: Tuple[str, str]
    ) -> None:
        known = self._found.get(id(value))
        name = {"path": [list(step) for step in path], "file": scope[0], "scope": scope[1]}
        if known is not None:
            if len(known["names"]) < 4:
                known["names"].append(name)
            return
        length = len_of(value, kind)
        if not length:
            return
        total = weight(value, 0)
        if total >= SMALLEST_BYTES:
            self._found[id(value)] = {
                "kind": kind,
                "length": length,
                "bytes": total,
                "holds": describe_element(value, kind),
                "names": [name],
            }


def is_traced(value: Any) -> bool:
    """A function made by ``tf.function``; its class is known by the module it comes from."""
    kind = type(value)
    return text_of(kind, "__module__").startswith(TRACED_MODULE) and defines(
        kind, "experimental_get_tracing_count"
    )


def traces_of(value: Any, name: str) -> List[Dict[str, Any]]:
    """How often a function was traced, and where it is written. TensorFlow counts by itself."""
    try:
        bound = list(getattr(value, "_descriptor_cache", {}).values())  # of a method: one a object
        count = sum(int(one.experimental_get_tracing_count()) for one in [value, *bound])
        code = value.python_function.__code__
    except Exception:
        return []
    place = {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}
    return [{"name": name, "count": count, **place}] if count > 1 else []


def locals_of(frame: Any) -> Dict[str, Any]:
    """The names of a running function, leaving no trace.

    Before 3.13 the dictionary of a frame's locals is the very one that the function's own ``locals()`` returned: a function that asks
    for it is left alone. Otherwise it is ours, and is emptied again: it would keep alive what the function lets go of.
    """
    code = frame.f_code
    if not code.co_flags & OPTIMIZED:
        return dict(frame.f_globals)
    if sys.version_info >= (3, 13):
        return dict(frame.f_locals)
    if frame.f_trace is not None or not ASKS_FOR_LOCALS.isdisjoint(code.co_names):
        return {}
    snapshot = frame.f_locals
    names = dict(snapshot)
    if sys.getrefcount(snapshot) <= 3:  # the frame's, ours, and the argument's: nobody else has it
        snapshot.clear()
    return names


def text_of(kind: type, attribute: str) -> str:
    """``__module__`` or ``__name__`` of a class, past whatever its metaclass has put in their place."""
    try:
        return str(type.__getattribute__(kind, attribute))
    except AttributeError:
        return ""


def defines(kind: type, name: str) -> bool:
    """Whether a class or one of its bases defines a name; nothing of the class is called."""
    return any(name in type.__getattribute__(base, "__dict__") for base in type.mro(kind))


def container_kind(value: Any) -> str:
    """The built-in container that a value is, or nothing. By its type: ``isinstance`` would ask the value itself."""
    kind = type(value)
    for name, owner in CONTAINERS:
        if issubclass(kind, owner):
            return name
    return "tuple" if kind is tuple else ""


def every_element(value: Any, kind: str) -> List[Any]:
    """The elements, by the built-in type's own method."""
    if kind == "dict":
        return list(dict.values(value))
    if kind == "list":
        return list(list.__iter__(value))
    if kind == "deque":
        return list(deque.__iter__(value))
    if kind == "tuple":
        return list(value)
    return list((set if issubclass(type(value), set) else frozenset).__iter__(value))


def len_of(value: Any, kind: str) -> int:
    """The length by the built-in type's own method: a subclass may have put anything in its place."""
    owner: Any = {"dict": dict, "list": list, "deque": deque, "tuple": tuple}.get(kind)
    if owner is None:
        owner = set if issubclass(type(value), set) else frozenset
    return int(owner.__len__(value))


def elements(value: Any, kind: str) -> List[Any]:
    """A few elements, spread evenly."""
    every = every_element(value, kind)
    return every[:: max(1, len(every) // SAMPLED_ELEMENTS)][:SAMPLED_ELEMENTS]


def weight(value: Any, depth: int) -> int:
    """About how many bytes would be free if this were gone."""
    own = native_bytes(value)
    if own is not None:
        return own
    kind = container_kind(value)
    try:
        total = 64 + 8 * len_of(value, kind) if kind else int(PLAIN.__sizeof__(value))
    except Exception:
        total = 64
    if depth >= 4:
        return total
    if kind:
        sample = elements(value, kind)
        if sample:
            total += (
                sum(weight(inner, depth + 1) for inner in sample)
                * len_of(value, kind)
                // len(sample)
            )
        return total
    try:
        names = object.__getattribute__(value, "__dict__")
    except Exception:
        return total
    if type(names) is dict and not issubclass(type(value), type) and len(names) <= 64:
        total += sum(weight(inner, depth + 1) for inner in list(names.values()))
    return total


def native_bytes(value: Any) -> Optional[int]:
    """Bytes behind an object that Python itself knows little of."""
    kind: Any = type(value)
    if kind in (bytes, bytearray, str, int, float, bool):
        return int(kind.__sizeof__(value))
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    try:
        if module == "numpy" and name in ("ndarray", "memmap"):
            return 0 if name == "memmap" else int(value.nbytes) + 100
        if module.startswith("tensorflow.") and defines(kind, "_num_elements"):
            return int(value._num_elements()) * int(value.dtype.size) + 200
        if module.startswith("tensorflow.") and name == "ResourceVariable":
            return int(value.shape.num_elements()) * int(value.dtype.size) + 500
        if module.startswith("PIL.") and defines(kind, "size"):
            width, height = value._size
            return int(width) * int(height) * 4
    except Exception:
        return 100
    return None


def describe_element(value: Any, kind: str) -> str:
    """The type of what is held, with shape and dtype where there is one."""
    for inner in elements(value, kind)[-1:]:
        kind_of = type(inner)
        name = f"{text_of(kind_of, '__module__')}.{text_of(kind_of, '__qualname__')}"
        name = name.replace("builtins.", "")
        if name.startswith("tensorflow."):
            name = "tf.Tensor"
        try:
            if name.startswith(("numpy.", "tf.")) and native_bytes(inner) is not None:
                dtype = getattr(inner.dtype, "name", inner.dtype)
                return f"{name} of shape {tuple(inner.shape)} and type {dtype}"
        except Exception:
            pass
        return name
    return ""
