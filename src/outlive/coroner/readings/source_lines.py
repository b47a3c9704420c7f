"""Stacks, exceptions and crashes: plain data of the rings made into nouns. Pure, but for reading lines of source code."""

from __future__ import annotations

import builtins
import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outlive.coroner.readings.notebook import Notebook
from outlive.coroner.readings.shown_source import shown_line
from outlive.inside.start.code_owner import CodeOwner, is_recorder
from outlive.model.events import Crash, Origin, Stack, Thrown
from outlive.model.findings import Place
from outlive.model.patterns import bounded, excerpt
from outlive.recorder.store.users_files import exists, lines_of
from outlive.source.syntax import LOOPS
from outlive.source.tree import Tree, tree_of

#: No file has more.
MOST_LINES = 1 << 31

FATAL = bounded(r"^Fatal Python error: .+$", re.MULTILINE)
THREAD = bounded(
    r"^(Current thread|Thread) (0x[0-9a-f]+)(?: \[(.*?)\])?(?: \(most recent call first\))?:",
    re.MULTILINE,
)
#: Since Python 3.10, before the frames of a thread that crashed in a collection.
COLLECTING = "  Garbage-collecting"
CRASH_FRAME = bounded(r'^  File "(.*)", line (\d+|\?\?\?) in (.*)$')

#: ``{{function_node …}} ValueError: words`` and then the traceback.
TOLD_EXCEPTION = bounded(
    r"(?:^|[\s}])((?:\w{1,80}\.){0,12}\w{0,80}(?:Error|Exception|Exit|Interrupt|Warning|Iteration)):\s([^\n]*)"
    r"(?=\s+Traceback \(most recent call last\))"
)
TOLD_FRAME = bounded(r'^[ \t]*File "(.+?)", line (\d+), in (\S+)', re.MULTILINE)


class SourceLines:
    """Turns ``(file, line, function)`` into places: whose code is it, and what does the line say?"""

    def __init__(
        self, folder: str, libraries: Iterable[str] = (), notebook: Notebook | None = None
    ) -> None:
        self._folder = folder
        self._typed: dict[str, str] = {}
        self._places: dict[tuple[str, int, str], Place] = {}
        self._notebook = notebook or Notebook()
        self._owner = CodeOwner(libraries, folder, exists)

    def place(self, data: Sequence[Any]) -> Place:
        """One frame; most of a run's are seen again and again."""
        key = str(data[0]), _whole(data[1]), str(data[2])
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._place(*key)
        return found

    def _place(self, file: str, line: int, function: str) -> Place:
        in_cell = self._notebook.place(file, line)
        if in_cell is not None:
            cell, line = in_cell
            text = shown_line(cell.code, line)
            return Place(f"In [{cell.count}]", line, function, text.strip()[:200])
        own = self.is_own(file)
        line = line or (self._loop_of(file, function) if own else 0)
        return Place(self.shown(file), line, function, self._code(file, line) if own else "", own)

    def _loop_of(self, file: str, function: str) -> int:
        """Where Python knows no line: it jumps back in a loop then, the innermost one of that function, as far as that can be told."""
        tree = self.tree(file)
        loops = [node.lineno for node in tree.every(*LOOPS) if isinstance(node, LOOPS)]
        return max((line for line in loops if tree.function_name_at(line) == function), default=0)

    def places(self, frames: Any) -> tuple[Place, ...]:
        """A stack; whatever is not a frame is skipped."""
        return tuple(
            self.place(frame)
            for frame in (frames if isinstance(frames, list) else ())
            if isinstance(frame, (list, tuple))
            and len(frame) == 3
            and not is_recorder(str(frame[0]))
        )

    def is_own(self, file: str) -> bool:
        """The user's code, not a library's, not generated."""
        return self._owner.is_users(file) or (
            file.startswith("<") and self._notebook.place(file, 1) is not None
        )

    def remember(self, file: str, text: str) -> None:
        """The text of code that no file holds, or that came with the record from elsewhere."""
        self._typed[file] = text
        self._places.clear()

    def _remembered(self, file: str) -> str | None:
        return self._typed.get(file, self._typed.get(os.path.join(self._folder, file)))

    def read(self, file: str) -> str:
        """The whole text of one of the user's files, or nothing."""
        in_cell = self._notebook.text(file)
        if in_cell is not None:
            return in_cell
        remembered = self._remembered(file)
        if remembered is not None:
            return remembered
        return "".join(lines_of(os.path.join(self._folder, file)))

    def tree(self, file: str) -> Tree:
        """The parsed text of one of the user's files; an empty tree when it cannot be read."""
        return tree_of(self.read(file))

    def beside(self, file: str) -> Sequence[str]:
        """The files that share their names with this one: of a cell all cells, otherwise itself."""
        return self._notebook.files if file in self._notebook.files else (file,)

    def shown(self, file: str) -> str:
        """Relative to the program's folder when it lies in it: what the user would type."""
        inside = self._folder.rstrip("/") + "/"
        return file[len(inside) :] if self._folder and file.startswith(inside) else file

    def _code(self, file: str, line: int) -> str:
        if line <= 0 or (file.startswith("<") and self._remembered(file) is None):
            return ""
        return shown_line(self.read(file), line).strip()[:200]


def _whole(value: Any) -> int:
    """A line's number; what is in no file's range is none."""
    return value if isinstance(value, int) and 0 <= value < MOST_LINES else 0


def thrown(data: Mapping[str, Any], lines: SourceLines, **known: Any) -> Thrown:
    """An exception as the program wrote it down."""
    cause = data.get("cause")
    message = excerpt(str(data.get("message", "")))
    # TensorFlow hands an error of the user's own Python function on as text, traceback and all.
    told = [
        lines.place((file, int(line), function))
        for file, line, function in TOLD_FRAME.findall(message)
    ]
    depth = data.get("depth")
    return Thrown(
        type=str(data.get("type", "?")),
        message=message,
        frames=(*reversed(told), *lines.places(data.get("frames"))),
        notes=tuple(excerpt(str(note)) for note in data.get("notes", ())),
        bases=tuple(str(base) for base in data.get("bases", ())),
        errno=data["errno"] if isinstance(data.get("errno"), int) else None,
        file=str(data.get("file", "")),
        module=str(data.get("module", "")),
        members=tuple(excerpt(str(member)) for member in data.get("members", ())),
        cause=thrown(cause, lines, **known) if isinstance(cause, dict) else _told_in(message),
        explicit=bool(data.get("explicit")) or not isinstance(cause, dict),
        depth=depth if isinstance(depth, int) else None,
        **known,
    )


def _told_in(message: str) -> Thrown | None:
    """The exception of a Python function that ran inside TensorFlow, which hands it on as text."""
    if "Traceback (most recent call last)" not in message:
        return None
    found = TOLD_EXCEPTION.search(message)
    if found is None:
        return None
    kind = getattr(builtins, found[1].rpartition(".")[2], None)
    lineage = kind.__mro__[1:-1] if isinstance(kind, type) else ()
    bases = tuple(base.__name__ for base in lineage)
    return Thrown(found[1], found[2].strip(), bases=bases)


def origin_of(text: Any) -> Origin:
    """Where an exception ended up; what is not known counts as a thread's, which accuses nobody of ending the program."""
    try:
        return Origin(text)
    except ValueError:
        return Origin.THREAD


def stacks_at(
    record: Mapping[str, Any], lines: SourceLines, at: float | None, pid: int
) -> tuple[Stack, ...]:
    """The threads of one sample, the main thread first."""
    found = [
        Stack(
            str(thread.get("name", "")),
            lines.places(thread.get("frames")),
            at,
            bool(thread.get("main")),
            pid,
        )
        for thread in record.get("threads", ())
        if isinstance(thread, dict)
    ]
    return tuple(sorted(found, key=lambda stack: not stack.main))


def crash_in(text: str, lines: SourceLines, pid: int) -> Crash | None:
    """What ``faulthandler`` wrote, if it wrote anything."""
    headline = FATAL.search(text)
    if headline is None:
        return None
    text = text[headline.start() :]
    heads = list(THREAD.finditer(text))
    stacks: list[Stack] = []
    current_is_python = False
    for head, following in itertools.zip_longest(heads, heads[1:]):
        body = text[head.end() : following.start() if following else None]
        frames = []
        for row in body.splitlines()[1:]:
            if row == COLLECTING:
                continue
            found = CRASH_FRAME.match(row)
            if found is None:
                break
            number = int(found[2]) if found[2].isdigit() else 0
            frames.append(lines.place((found[1], number, found[3])))
        # what wraps os.abort is not the program's doing; a thread that is nothing but ours stays as it is
        frames = [frame for frame in frames if not is_recorder(frame.file)] or frames
        stack = Stack(head[3] or head[2], tuple(frames), main=following is None, pid=pid)
        if head[1] == "Current thread":
            current_is_python = bool(frames)
            stacks.insert(0, stack)
        else:
            stacks.append(stack)
    return Crash(
        headline[0].removeprefix("Fatal Python error: "), tuple(stacks), current_is_python, pid
    )
