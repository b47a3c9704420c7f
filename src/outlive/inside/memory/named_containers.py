"""One look at everything that the user's code can name: which of its containers are large?

It begins at the locals of running functions, the globals of the user's modules and the attributes of the user's objects, and calls
nothing of the user's. Whoever wants to see more than containers (graphs, tapes, arrays) is shown every value that is reached.
"""

from __future__ import annotations

import gc
import sys

from ..start.clock import Clock
from ..start.frames import current_frames
from ..start.real import Real
from .census import locals_of, text_of
from .sizes import (
    attributes_of,
    container_kind,
    describe,
    describe_element,
    describe_inner,
    every_element,
    holds_errors,
    inner_length,
    len_of,
    most_in_deque,
    weight,
    whole_kind,
)
from .value_stack import checked_reader, in_the_making

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

    Step = Tuple[str, str]
    Path = Tuple[Step, ...]
    Scope = Tuple[str, str]

SMALLEST_BYTES = 3_000_000
MOST_REPORTED = 6
MOST_WHOLES = 4
MOST_NAMES = 4
#: A container with few elements is looked into; one with many is weighed.
FEW_ELEMENTS = 24
#: What is being made is looked at from so many elements on.
FEW_MADE = 8
#: What a search may take longer by the clock than by the processor: the program stands still meanwhile, see ``census``.
SECONDS_ON_A_BUSY_MACHINE = 0.2

DEEPEST = 6
MOST_FRAMES = 100
FUNCTION = type(lambda: None)
GENERATOR: Any = type((lambda: (yield))())

#: Classes of the standard library whose attributes are looked at though they are not the user's: queues that nobody drains, those of pools
#: and of loggers among them.
QUEUES = (
    "queue",
    "_queue",
    "threading",
    "multiprocessing.queues",
    "asyncio.queues",
    "concurrent.futures.thread",
    "logging.handlers",
)


class Search:
    """The walk along names, attributes and elements; bounded in time."""

    def __init__(
        self,
        is_own: Callable[[str], bool],
        deadline: float,
        shown: Sequence[Callable[[Any, Path, Scope], None]] = (),
    ) -> None:
        self._is_own = is_own
        self.go_on(deadline)
        self._shown = shown
        self._found: Dict[int, Dict[str, Any]] = {}
        self._wholes: Dict[int, Dict[str, Any]] = {}
        self.visited: Set[int] = set()  #: the ids of all values that names lead to

    def names(self) -> None:
        """Begin at what the user's code can name."""
        self.frames(own_frames(self._is_own))
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and self._is_own(file):
                self._visit_names(dict(module.__dict__), (file, "<module>"))

    def frames(self, found: Iterable[Any]) -> None:
        """The names of functions that run, or have run into an error."""
        for frame in found:
            code = frame.f_code
            if self._is_own(code.co_filename):
                self._visit_names(locals_of(frame), (code.co_filename, code.co_name))
                self._visit_unnamed(frame)
            del frame

    def _visit_unnamed(self, frame: Any) -> None:
        """What a comprehension has made so far."""
        reader = Unnamed.reader()
        for value in in_the_making(frame, reader) if reader is not None else ():
            kind = container_kind(value)
            if id(value) not in self._found and len_of(value, kind) >= FEW_MADE:
                scope = (frame.f_code.co_filename, frame.f_code.co_name)
                self._weigh_container(value, kind, (("making", kind),), scope)
                if id(value) in self._found:
                    self._found[id(value)]["line"] = frame.f_lineno

    def objects(self, found: Iterable[Any]) -> None:
        """Go on at objects of the user's own classes, wherever they are kept."""
        for value in found:
            kind = type(value)
            file = self.file_of(kind)
            if file is not None:
                name = text_of(kind, "__name__")
                self._visit(value, (("name", name),), (file, name), 0)

    def go_on(self, deadline: float) -> None:
        """Take so much time; on a busy machine, where others take it, as much of the processor's."""
        self._deadline = deadline
        self._until = Clock.thread_time() + deadline - Clock.perf_counter()

    def _time_is_up(self) -> bool:
        late = Clock.perf_counter() - self._deadline
        return late > 0 and (late > SECONDS_ON_A_BUSY_MACHINE or Clock.thread_time() > self._until)

    def held(self) -> List[Dict[str, Any]]:
        """The largest containers, with every name they go by."""
        return largest(self._found, MOST_REPORTED)

    def wholes(self) -> List[Dict[str, Any]]:
        """The largest values that are one piece, such as arrays and texts: each may be made anew, longer, again and again."""
        return largest(self._wholes, MOST_WHOLES)

    def _visit_names(self, names: Dict[str, Any], scope: Scope) -> None:
        for name, value in names.items():
            if not name.startswith("__"):
                self._visit(value, (("name", str(name)),), scope, 0)

    def _visit(self, value: Any, path: Path, scope: Scope, depth: int) -> None:
        if depth > DEEPEST or self._time_is_up():
            return
        kind = container_kind(value)
        if kind:
            self._weigh_container(value, kind, path, scope)
        else:
            self._weigh_whole(value, path, scope)
        if id(value) in self.visited:
            return
        self.visited.add(id(value))
        for show in self._shown:
            show(value, path, scope)
        for step, inner, inner_scope in self._parts(value, kind, scope):
            self._visit(inner, (*path, step) if step else path, inner_scope, depth + 1)

    def _parts(self, value: Any, kind: str, scope: Scope) -> Iterable[Tuple[Any, Any, Any]]:
        """What a value leads to, with the step that leads there."""
        if kind == "dict" and dict.__len__(value) <= FEW_ELEMENTS:
            for key, inner in list(dict.items(value)):
                yield ("key", key if isinstance(key, str) else ""), inner, scope
        elif kind in ("list", "deque", "tuple") and len_of(value, kind) <= FEW_ELEMENTS:
            for inner in every_element(value, kind):
                yield ("key", ""), inner, scope
        elif type(value) is FUNCTION:
            yield from self._closure(value)
        elif type(value) is GENERATOR and value.gi_frame is not None:
            code = value.gi_frame.f_code
            if self._is_own(code.co_filename):
                for name, inner in locals_of(value.gi_frame).items():
                    yield ("name", name), inner, (code.co_filename, code.co_name)
        elif text_of(type(value), "__name__") == "_lru_cache_wrapper":
            yield from self._cache(value)
        elif not kind:
            yield from self._attributes(value, scope)

    def _closure(self, value: Any) -> Iterable[Tuple[Any, Any, Any]]:
        """The names that a function of the user's has taken with it, and the values that it was given as defaults."""
        code = value.__code__
        if not self._is_own(code.co_filename):
            return
        own = (code.co_filename, code.co_name)
        for name, cell in zip(code.co_freevars, value.__closure__ or ()):
            try:
                yield ("name", name), cell.cell_contents, own
            except ValueError:
                continue
        names = code.co_varnames[: code.co_argcount]
        defaults = value.__defaults__ or ()
        for name, inner in zip(names[len(names) - len(defaults) :], defaults):
            yield ("name", name), inner, own

    def _cache(self, value: Any) -> Iterable[Tuple[Any, Any, Any]]:
        """An ``lru_cache``: its dictionary can only be reached as the collector reaches it."""
        code = getattr(getattr(value, "__wrapped__", None), "__code__", None)
        if code is not None and self._is_own(code.co_filename):
            for inner in gc.get_referents(value):
                if type(inner) is dict and inner is not getattr(value, "__dict__", None):
                    own = (code.co_filename, str(code.co_firstlineno))
                    yield ("cache", code.co_name), inner, own

    def _attributes(self, value: Any, scope: Scope) -> Iterable[Tuple[Any, Any, Any]]:
        """Attributes of the user's own objects and classes, and of the standard library's queues."""
        is_class = issubclass(type(value), type)
        kind = value if is_class else type(value)
        module = text_of(kind, "__module__")
        if (
            module == "_queue"
        ):  # SimpleQueue has no attributes: its list is reached as the collector does
            for inner in gc.get_referents(value):
                if type(inner) is list:
                    yield ("attr", "queue"), inner, scope
            return
        if module in ("builtins", "functools") and not is_class:
            yield from self._bound(value, scope)
            return
        file = self.file_of(kind)
        if file is None and module not in QUEUES:
            return
        own = (file, text_of(kind, "__name__")) if file else scope
        if is_class:
            names = dict(type.__getattribute__(value, "__dict__"))
        else:
            names = attributes_of(value)
            yield None, kind, own
        for name, inner in names.items():
            if not str(name).startswith("__"):
                yield ("attr", str(name)), inner, own

    def _bound(self, value: Any, scope: Scope) -> Iterable[Tuple[Any, Any, Any]]:
        """A method leads to its object, a partial function to its arguments."""
        name = text_of(type(value), "__name__")
        if name == "method":
            yield None, value.__self__, scope
        elif name == "partial":
            for inner in (*value.args, value.func, *value.keywords.values()):
                yield None, inner, scope

    def file_of(self, kind: type) -> Optional[str]:
        """The file of the user's that defines a class; a class typed into a notebook is known by its methods."""
        module = sys.modules.get(text_of(kind, "__module__"))
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            return file if self._is_own(file) else None
        for method in type.__getattribute__(kind, "__dict__").values():
            code = getattr(method, "__code__", None) if type(method) is FUNCTION else None
            if code is not None and self._is_own(code.co_filename):
                return str(code.co_filename)
        return None

    def _weigh_whole(self, value: Any, path: Path, scope: Scope) -> None:
        """An array, a text, a table: what grows by being made anew."""
        kind = whole_kind(value)
        if not kind or self._is_known(self._wholes, value, path, scope):
            return
        total = weight(value)
        if total >= SMALLEST_BYTES:
            self._wholes[id(value)] = {
                "kind": kind,
                "length": 1,
                "bytes": total,
                "holds": describe(value),
                "whole": True,
                "names": [name_of(path, scope)],
            }

    def _is_known(
        self, found: Dict[int, Dict[str, Any]], value: Any, path: Path, scope: Scope
    ) -> bool:
        """Whether it was weighed before, by another name."""
        known = found.get(id(value))
        if known is None:
            return False
        name = name_of(path, scope)
        if len(known["names"]) < MOST_NAMES and name not in known["names"]:
            known["names"].append(name)
        return True

    def _weigh_container(self, value: Any, kind: str, path: Path, scope: Scope) -> None:
        if self._is_known(self._found, value, path, scope):
            return
        length = len_of(value, kind)
        if not length:
            return
        total = weight(value)
        if total >= SMALLEST_BYTES:
            self._found[id(value)] = {
                "kind": kind,
                "length": length,
                "inner": inner_length(value, kind),
                "bytes": total,
                "holds": describe_element(value, kind),
                "within": describe_inner(value, kind),
                "errors": holds_errors(value, kind),
                "names": [name_of(path, scope)],
            }
            most = most_in_deque(value) if kind == "deque" else None
            if most is not None:
                self._found[id(value)]["bound"] = most


class Unnamed:
    """The reader of value stacks, made when it is first needed."""

    _made: Optional[List[Any]] = None

    @classmethod
    def reader(cls) -> Any:
        """The reader; None where none works."""
        if cls._made is None:
            cls._made = [checked_reader()]
        return cls._made[0]


def name_of(path: Path, scope: Scope) -> Dict[str, Any]:
    """A name, as it is written down."""
    return {"path": [list(step) for step in path], "file": scope[0], "scope": scope[1]}


def largest(found: Dict[int, Dict[str, Any]], most: int) -> List[Dict[str, Any]]:
    """The largest of what was weighed."""
    return sorted(found.values(), key=lambda entry: -entry["bytes"])[:most]


def own_frames(is_own: Callable[[str], bool]) -> Iterable[Any]:
    """The frames of the user's code in all threads but this one, innermost first."""
    for frame in frames_of_others():
        if is_own(frame.f_code.co_filename):
            yield frame


def frames_of_others() -> Iterable[Any]:
    """Every frame of every other thread, innermost first."""
    mine = Real.get_ident()
    for ident, frame in current_frames().items():
        depth = 0
        inner: Any = frame
        while ident != mine and inner is not None and depth < MOST_FRAMES:
            yield inner
            inner, depth = inner.f_back, depth + 1
