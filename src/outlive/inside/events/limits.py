"""Looks around when an error is about a limit: see ``circumstances``.

Names of open files are read as links, which opens nothing: there may be no descriptor left. Nothing of the user's is called.
"""

from __future__ import annotations

import _io
import _thread
import os
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight

from ..memory.census import Standstill, locals_of
from ..memory.named_containers import Search
from ..memory.sizes import describe_element, len_of
from ..notes import links
from ..notes.describe import in_short, masked
from ..start.clock import Clock
from .stack_sampler import shown_name

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

SECONDS = 0.06
MOST_DESCRIPTORS = 4096
MOST_THREADS = 1024
MOST_GROUPS = 8
MOST_PATHS = 16
MOST_FRAMES = 60
MOST_LOCALS = 2000

#: A container with fewer elements is not taken for a leak of descriptors.
FEWEST_KEPT = 8

#: Threads of one pool differ in their numbers.
DIGITS_END = {ord(digit): "\0" for digit in "0123456789"}

#: Functions and bound methods: what may be asked for its code without running anything of the program's.
FUNCTION: Any = type(lambda: None)
CALLABLES = (FUNCTION, type((lambda self: None).__get__(0)))

WRAPPERS = (_io.BufferedWriter, _io.BufferedRandom, _io.BufferedReader)


def around(
    error: BaseException,
    topics: Set[str],
    is_own: Callable[[str], bool],
    limits: Dict[str, Tuple[int, int]],
) -> Dict[str, Any]:
    """All that is worth knowing beside this error."""
    found: Dict[str, Any] = {}
    try:
        if "files" in topics:
            found["files"] = open_files(*limits["files"])
            found["kept"] = kept(error, is_own)
        if "threads" in topics:
            found["threads"] = threads(*limits["tasks"], limits["space"][0])
        if "room" in topics:
            found["paths"], found["texts"] = written_paths(error)
        if "libraries" in topics:
            found["libraries"] = library_names(error)
    except Exception as failure:  # what was found before is kept
        found["failed"] = in_short(failure, 200)
    return found


def open_files(soft: int, hard: int) -> Dict[str, Any]:
    """How many descriptors are open, of how many, and what they lead to, by folder and kind."""
    count = 0
    groups: Dict[str, List[str]] = {}
    ours = (os.environ.get(links.FOLDER_VARIABLE) or "\0", f"/proc/{os.getpid()}/statm")
    highest = soft if 0 <= soft < MOST_DESCRIPTORS else MOST_DESCRIPTORS
    for number in range(highest):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        count += 1
        if not target.startswith(ours):
            groups.setdefault(kind_of(target), []).append(target)
    largest = sorted(by_kind(groups).items(), key=lambda item: -len(item[1]))[:MOST_GROUPS]
    return {
        "count": count,
        "limit": soft,
        "hard": hard,
        "groups": [
            [masked(what if len(set(targets)) > 1 else targets[0]), len(targets)]
            for what, targets in largest
        ],
    }


def kind_of(target: str) -> str:
    """``folder/*.png`` for a file, ``socket``, ``pipe``: what descriptors of one origin have in common."""
    if not target.startswith("/"):
        return target.partition(":")[0] if target[-1:] == "]" else target
    folder, name = os.path.split(target.replace(" (deleted)", ""))
    if folder.startswith("/dev"):
        return target
    ending = os.path.splitext(name)[1]
    return os.path.join(folder, "*" + ending)


def by_kind(groups: Dict[str, List[str]]) -> Dict[str, List[str]]:
    """Where no folder has the half of them: the files of one ending together, or else all files, below the folder that they share."""
    total = sum(len(targets) for targets in groups.values())
    if total > 2 * max((len(targets) for targets in groups.values()), default=0):
        files = {what: targets for what, targets in groups.items() if what.startswith("/")}
        files = {what: targets for what, targets in files.items() if "*" in what}
        for ending_of in (lambda what: what.rpartition("*")[2], lambda what: ""):
            merged: Dict[str, List[str]] = {}
            for what in files:
                merged.setdefault(ending_of(what), []).append(what)
            ending, most = max(
                merged.items(),
                key=lambda item: sum(len(groups[what]) for what in item[1]),
                default=("", []),
            )
            together = [target for what in most for target in groups[what]]
            if 2 * len(together) >= total:
                shared = os.path.commonpath([os.path.dirname(what) for what in most])
                rest = {what: targets for what, targets in groups.items() if what not in most}
                return {**rest, os.path.join(shared, "**", "*" + ending): together}
    return groups


def kept(error: BaseException, is_own: Callable[[str], bool]) -> List[Dict[str, Any]]:
    """Containers of the user's own that may keep files open: many elements, and no plain values."""
    with Standstill():
        search = Keepers(is_own, Clock.perf_counter() + SECONDS)
        for frame in frames_behind(error):
            if is_own(frame.f_code.co_filename):
                search.frame(frame)
        search.names()
        return search.held()


class Keepers(Search):
    """The containers that the user's code can name, by their number of elements."""

    def frame(self, frame: Any) -> None:
        """Begin at the locals of a function that has ended."""
        self._visit_names(locals_of(frame), (frame.f_code.co_filename, frame.f_code.co_name))

    def _weigh_container(
        self, value: Any, kind: str, path: Tuple[Any, ...], scope: Tuple[str, str]
    ) -> None:
        length = len_of(value, kind)
        if length < FEWEST_KEPT or id(value) in self._found:
            return
        holds = describe_element(value, kind)
        if holds.partition(" ")[0] in ("str", "int", "float", "bool", "bytes", "numpy.ndarray"):
            return
        name = {"path": [list(step) for step in path], "file": scope[0], "scope": scope[1]}
        self._found[id(value)] = {
            "kind": kind,
            "length": length,
            "bytes": length,  # what the search sorts by
            "holds": holds,
            "names": [name],
        }


def frames_behind(error: Optional[BaseException]) -> Iterator[Any]:
    """The frames that an error and its causes came through, innermost first."""
    seen = 0
    while error is not None and seen < MOST_FRAMES:
        found: Any = deque(maxlen=MOST_FRAMES)  # a recursion may be a million frames deep
        traceback = error.__traceback__
        while traceback is not None:
            found.append(traceback)
            traceback = traceback.tb_next
        for step in reversed(found):
            seen += 1
            yield step.tb_frame
        error = error.__cause__ or error.__context__


def threads(soft: int, hard: int, space: int) -> Dict[str, Any]:
    """How many threads live, what they are called, what they run, and the limit on them."""
    names = list(native_names())
    groups: Dict[str, int] = {}
    for name in names:
        stem = name.translate(DIGITS_END).partition("\0")[0].rstrip("-_( ") or name
        groups[stem] = groups.get(stem, 0) + 1
    largest = sorted(groups.items(), key=lambda item: -item[1])[:MOST_GROUPS]
    running = functions_of_threads()
    return {
        "count": len(names),
        "python": sum(count for _, count in running),
        "groups": [[masked(shown_name(name)), number] for name, number in largest],
        "limit": soft,
        "hard": hard,
        "address_limit": space,
        "mapped": mapped_bytes(),
        "stack": _thread.stack_size(),
        "running": running[:MOST_GROUPS],
        "user": os.getuid(),
    }


def functions_of_threads() -> List[Any]:
    """The functions that threads were started with, by how many run each."""
    counts: Dict[Tuple[str, int, str], int] = {}
    active = getattr(sys.modules.get("threading"), "_active", {})
    for thread in list(active.values()):
        kind = type(thread)
        run = vars(thread).get("_target") or getattr(kind, "run", None)
        function = getattr(run, "__func__", run) if type(run) in CALLABLES else None
        code = function.__code__ if function is not None else None
        if code is not None:
            place = (code.co_filename, code.co_firstlineno, code.co_name)
            counts[place] = counts.get(place, 0) + 1
    return [
        [list(place), count] for place, count in sorted(counts.items(), key=lambda item: -item[1])
    ]


def mapped_bytes() -> int:
    """The most that the address space of this process has been: threads may have ended since."""
    for line in text_in("/proc/self/status").splitlines():
        if line.startswith("VmPeak:"):
            return int(line.split()[1]) * 1024
    return 0


def native_names() -> Iterator[str]:
    """Read the names that Linux has for the threads of this process."""
    try:
        numbers = os.listdir("/proc/self/task")
    except OSError:
        return
    for number in numbers[:MOST_THREADS]:
        yield text_in(f"/proc/self/task/{number}/comm").strip()


def text_in(path: str) -> str:
    """Read a short file of /proc or /sys; empty if that fails."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(handle, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(handle)


def written_paths(error: BaseException) -> Tuple[List[str], List[str]]:
    """Files that may have been written when the room ran out: those open in the functions that the error came through.

    An error of ``write`` does not name its file. Beside the files themselves, texts that look like a path, which prove less.
    """
    files: List[str] = []
    texts: List[str] = []
    for value in values_behind(error):
        name = name_of(value)
        if name:
            files.append(name)
        elif type(value) is str and 1 < len(value) < 1000 and "/" in value and "\n" not in value:
            texts.append(value)
        else:
            files.extend(names_within(value))
    return (absolute(files), absolute(texts))


def absolute(paths: List[str]) -> List[str]:
    """Each once, as the supervisor can find them."""
    return [masked(os.path.abspath(path)) for path in list(dict.fromkeys(paths))[:MOST_PATHS]]


def values_behind(error: BaseException) -> Iterator[Any]:
    """The local values of the functions that an error came through, innermost first."""
    left = MOST_LOCALS
    for frame in frames_behind(error):
        for value in locals_of(frame).values():
            left -= 1
            if left < 0:
                return
            yield value


def name_of(value: Any) -> str:
    """The file that a file object of Python's own writes to; nothing for anything else."""
    try:
        if type(value) is _io.TextIOWrapper:
            value = value.buffer
        if type(value) in WRAPPERS:
            value = value.raw
        name = value.name if type(value) is _io.FileIO else ""
        return name if type(name) is str else ""
    except Exception:  # detached, or half made
        return ""


def names_within(value: Any) -> Iterator[str]:
    """The files that an object holds in its attributes: a zip file, a temporary file."""
    try:
        names = object.__getattribute__(value, "__dict__")
    except Exception:
        return
    if type(names) is dict and len(names) <= 64 and not issubclass(type(value), type):
        for inner in list(names.values()):
            name = name_of(inner)
            if name:
                yield name


def library_names(error: BaseException) -> List[str]:
    """Texts in the functions that the error came through that name a shared library."""
    found = [
        value
        for value in values_behind(error)
        if type(value) is str and ".so" in value and len(value) < 1000 and "\n" not in value
    ]
    return [masked(name) for name in list(dict.fromkeys(found))[:MOST_PATHS]]
