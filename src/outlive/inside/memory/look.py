"""One look at what holds the memory of this process, written into the journal."""

from __future__ import annotations

import sys

from ..notes import kinds
from ..notes.describe import in_short, masked
from ..notes.masking import mask_text, secrets_here
from ..start.clock import Clock
from .arrays import Arrays, Pictures, largest_files, listed_in
from .census import Standstill, locals_of, text_of
from .heap_walk import LONG_SECONDS, Walk, there_is_room
from .heap_walk import SECONDS as WALK_SECONDS
from .meter import address_space, arenas, heap, private_bytes
from .named_containers import Search, own_frames
from .tensorflow_state import Graphs, Tapes, Traces, buffered_in, tensor_bytes
from .tracemalloc_lines import Tracing

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Sequence, Set

    from ..notes.journal import Journal
    from ..notes.pipelines import Pipelines

SECONDS = 0.06

#: A container with less than this share of the process's own memory does not explain it.
EXPLAINS = 0.3
MOST_WALKS = 3
STEP_BETWEEN_WALKS = 0.12
#: A function traced so often, or operations added to a graph since the last look, need no walk to be found.
OFTEN_TRACED = 20

#: Code that was typed, not read from a file, is told with its text.
LONGEST_SOURCE = 20_000
MOST_SOURCES = 8

MOST_CALLEES = 40
FRAMES_OF_CALLEES = 3


class Looker:
    """Looks, and remembers how often it has looked closely."""

    def __init__(
        self,
        journal: Journal,
        is_own: Callable[[str], bool],
        pipelines: Pipelines,
        deep: bool,
    ) -> None:
        self._pipelines = pipelines
        self._stages_read: Set[int] = set()
        self._listed: List[str] = []  # files of pictures that pipelines read
        self._tracing = Tracing(is_own) if deep else None
        self._journal = journal
        self._is_own = is_own
        self._walks_left = MOST_WALKS
        self._walk_seconds = WALK_SECONDS
        self._walked_at = 0
        self._operations = 0
        self._sources_told: Set[str] = set()

    def look(self, rss: int, limit: int, used: int, refused_in: Sequence[Any] = ()) -> None:
        """One census; a failure is written down and costs nothing else. After a refusal: in the frames of the error, too.

        ``used``: of the limit, by all that share it.
        """
        began = Clock.perf_counter()
        own = private_bytes()
        found: Dict[str, Any] = {"rss": rss, "own": own, "limit": limit}
        # Where other threads may run: nothing of the program's is in our hands.
        found["tensors"] = tensor_bytes()
        found["heap"] = heap()
        found["arenas"] = arenas() if gil_is_ours() else None
        found["buffered"] = buffered_in(self._pipelines.iterators())
        if refused_in:
            found["mapped"], found["address_limit"] = address_space()
        try:
            with Standstill():
                if self._tracing is not None:
                    found["allocated"] = self._tracing.lines()
                found.update(self._search(Clock.perf_counter(), own, limit, used, refused_in))
            # Only now: to mask asks the file system, and whoever does so at a standstill lets all others go on, and waits for its turn
            # as long as they were to wait.
            found.update(without_secrets(found))
            if self._listed:
                listed, self._listed = self._listed, []
                found["listed"] = [masked(path) for path in largest_files(listed)]
        except Exception as error:
            found["failed"] = in_short(error, 200)
        found["took_ms"] = round((Clock.perf_counter() - began) * 1000, 1)
        self._journal.note(kinds.CENSUS, **found)

    def _search(
        self, began: float, own: int, limit: int, used: int, refused_in: Sequence[Any]
    ) -> Dict[str, Any]:
        traces, graphs, tapes, arrays = Traces(), Graphs(self._is_own), Tapes(), Arrays()
        shown = [traces.see, graphs.see, tapes.see, arrays.see]
        search = Search(self._is_own, began + SECONDS, shown)
        search.frames(refused_in)
        search.names()
        graphs.look_elsewhere()
        pictures = Pictures()
        pictures.look(self._is_own)
        found: Dict[str, Any] = {}
        held: List[Dict[str, Any]] = search.held()
        explained = max((entry["bytes"] for entry in held), default=0) >= EXPLAINS * own
        explained = explained or bool(tapes.found) or self._of_tensorflow(traces, graphs)
        due = own - self._walked_at >= STEP_BETWEEN_WALKS * limit and self._walks_left > 0
        due = due and not refused_in and not self._tracing and gil_is_ours()
        if not explained and due and there_is_room(limit - used):
            self._walks_left, self._walked_at = self._walks_left - 1, own
            walk = Walk(self._is_own, search.file_of, self._walk_seconds, search.visited)
            classes, objects = walk.run()
            if not walk.whole:  # the time of those that are left goes to a single one
                self._walks_left = min(self._walks_left, int(self._walk_seconds < LONG_SECONDS))
                self._walk_seconds = LONG_SECONDS
            search.go_on(Clock.perf_counter() + SECONDS)
            search.objects(objects)
            search.frames(walk.paused)
            walk.paused.clear()
            held = [*search.held(), *classes, *walk.unnamed]
            held.sort(key=lambda entry: -int(entry["bytes"]))
            found["python"] = walk.bytes if walk.whole else None
        self._list_files()
        found["held"] = [*held, *search.wholes()]
        found["traced"] = traces.found
        found["graphs"] = graphs.found
        found["tapes"] = tapes.found
        found["arrays"] = arrays.largest()
        found["callees"] = self._callees()
        found["sources"] = self._sources()
        found["pictures"] = pictures.files
        found["folders"] = pictures.folders
        found["picture_sizes"] = pictures.sizes
        return {name: value for name, value in found.items() if value not in ([], {})}

    def _list_files(self) -> None:
        """What the sources of pipelines list, once for each."""
        new = [
            stage for stage in self._pipelines.last_built() if id(stage) not in self._stages_read
        ]
        self._stages_read |= {id(stage) for stage in new}
        try:
            self._listed = listed_in(new)
        except Exception:
            self._listed = []  # another TensorFlow

    def _of_tensorflow(self, traces: Traces, graphs: Graphs) -> bool:
        """Whether a graph has grown since the last look, or a function is traced over and over."""
        before, self._operations = self._operations, sum(one["operations"] for one in graphs.found)
        grown = 0 < before < self._operations
        return grown or any(one["count"] >= OFTEN_TRACED for one in traces.found)

    def _sources(self) -> Dict[str, str]:
        """The text of code that no file holds (a cell of a notebook, a string that was compiled), once."""
        cache = getattr(sys.modules.get("linecache"), "cache", {})
        found: Dict[str, str] = {}
        for frame in own_frames(self._is_own):
            file = frame.f_code.co_filename
            entry = cache.get(file)
            if file in self._sources_told or not isinstance(entry, tuple) or len(entry) != 4:
                continue
            if entry[1] is None and len(self._sources_told) < MOST_SOURCES:  # not read from a disk
                self._sources_told.add(file)
                found[file] = whole_lines("".join(entry[2]))
            del frame
        return found

    def _callees(self) -> Dict[str, str]:
        """What the names in the innermost functions of the user's are: modules and classes, to tell who was called."""
        found: Dict[str, str] = {}
        for frames, frame in enumerate(own_frames(self._is_own)):
            if frames >= FRAMES_OF_CALLEES:
                break
            used = frame.f_code.co_names
            names = {**{name: frame.f_globals.get(name) for name in used}, **locals_of(frame)}
            for name, value in names.items():
                if len(found) < MOST_CALLEES and value is not None:
                    told = told_of(value)
                    if told:
                        found.setdefault(str(name), told)
            del names, frame
        return found


def whole_lines(text: str) -> str:
    """As much of a source as is kept; a line that was cut in the middle might end in half a secret."""
    return text if len(text) <= LONGEST_SOURCE else text[:LONGEST_SOURCE].rpartition("\n")[0]


def without_secrets(found: Dict[str, Any]) -> Dict[str, Any]:
    """The texts of the program's own among what was found, masked."""
    texts: Dict[str, Any] = {
        "pictures": [masked(path) for path in found.get("pictures", ())],
        "folders": [masked(path) for path in found.get("folders", ())],
        "picture_sizes": [[masked(path), *size] for path, *size in found.get("picture_sizes", ())],
        "sources": {
            file: mask_text(text, secrets_here(), keep_lines=True)
            for file, text in found.get("sources", {}).items()
        },
    }
    return {name: text for name, text in texts.items() if text}


def told_of(value: Any) -> str:
    """A module, a library that ctypes has loaded, or the class of an object that is not Python's own."""
    kind = type(value)
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    if kind is type(sys):
        return f"module {value.__name__}"
    if module == "ctypes" and name in ("CDLL", "PyDLL", "LibraryLoader"):
        library = getattr(value, "_name", None)
        return f"library {library}" if library else "library of the C runtime"
    if module == "ctypes" and name == "_FuncPtr":
        return "a function called through ctypes"
    if module in ("builtins", "__main__", "") or module.startswith(
        ("tensorflow.", "keras.", "numpy")
    ):
        return ""
    return f"{module}.{name}"


def gil_is_ours() -> bool:
    """Without the lock the heap changes while we walk."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return enabled is None or bool(enabled())
