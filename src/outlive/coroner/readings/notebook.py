"""The cells of a notebook, as its kernel wrote them down: what they say, under which file names Python knows them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.inside.notes import kinds
from outlive.recorder.store.entries import entries
from outlive.recorder.store.note_kinds import unreadable

#: IPython's ``%time`` compiles what it is given under names of its own.
TIMED = ("<timed exec>", "<timed eval>")
TIME_MAGIC = re.compile(r"^[ \t]*%{1,2}time\b", re.MULTILINE)
MAGIC_LINE = re.compile(r"^(\s*)(?=\S)([%!?].*|.*[^\s\w'\")\]}]\?{1,2}[ \t]{0,40})$")


class Request:
    """One request to run a cell."""

    __slots__ = (
        "cell",
        "code",
        "count",
        "done",
        "error",
        "file",
        "header",
        "id",
        "ident",
        "silent",
        "time",
    )

    def __init__(self, frame: Mapping[str, Any]) -> None:
        self.id = str(frame.get("id", ""))
        self.time = frame.get("time")
        self.count = frame.get("count") if isinstance(frame.get("count"), int) else None
        self.code = str(frame.get("code", ""))
        self.silent = bool(frame.get("silent"))
        self.cell = str(frame.get("cell", ""))
        self.ident = [str(part) for part in frame.get("ident", ())]
        self.header = dict(frame.get("header") or {})
        self.file = ""
        self.done = False
        self.error: Any = None


class Notebook:
    """Everything that one kernel was asked to run and has not forgotten."""

    def __init__(self, frames: Sequence[Mapping[str, Any]] = ()) -> None:
        self.unreadable = unreadable(frames)  #: entries that were left out
        known: dict[str, Request] = {}
        self._by_file: dict[str, Request] = {}
        self._inner: dict[str, Request] = {}
        self.shutdown = False  #: somebody asked the kernel to end
        for frame in frames:
            kind, identifier = frame.get("kind"), str(frame.get("id", ""))
            if kind == kinds.CELL:
                known[identifier] = Request(frame)
            elif kind == kinds.FILE and identifier in known:
                self._name(known[identifier], str(frame.get("file", "")))
            elif kind == kinds.DONE and identifier in known:
                known[identifier].done = True
                known[identifier].error = frame.get("error")
            elif kind == kinds.SHUTDOWN:
                self.shutdown = True
        self.requests = list(known.values())

    def _name(self, request: Request, file: str) -> None:
        """The first name is the cell's own; a magic (``%%capture``, ``%%guarded``) runs what stands below it under another."""
        if request.file:
            self._inner[file] = request
        else:
            request.file = file
            self._by_file[file] = request

    @property
    def running(self) -> list[Request]:
        """The requests that nobody has answered."""
        return [request for request in self.requests if not request.done]

    def place(self, file: str, line: int) -> tuple[Request, int] | None:
        """The cell that a frame lies in, and the line in it."""
        if file in self._by_file:
            return self._by_file[file], line
        if file in self._inner:
            below_magic = self._inner[file].code.lstrip().startswith("%%")
            return self._inner[file], line + 1 if below_magic else line
        if file in TIMED:
            timed = [request for request in self.requests if TIME_MAGIC.search(request.code)]
            for request in reversed(timed):
                first = request.code[: TIME_MAGIC.search(request.code).start()].count("\n") + 1  # type: ignore[union-attr]  # it was found
                return request, first + line if request.code.lstrip().startswith("%%") else first
        return None

    def text(self, file: str) -> str | None:
        """The whole text of a cell as Python can read it: without magics, line for line."""
        found = self._by_file.get(file)
        return None if found is None else without_magics(found.code)

    @property
    def files(self) -> Sequence[str]:
        """The names under which Python knows the cells, the oldest first."""
        return list(self._by_file)


def without_magics(code: str) -> str:
    """``%matplotlib inline`` and ``!ls`` are no Python; what is left has the same line numbers."""
    lines = code.split("\n")
    return "\n".join(MAGIC_LINE.sub(lambda found: f"{found[1]}pass", line) for line in lines)


def notebook_in(rings: str | None, pid: int | None = None) -> Notebook:
    """What the kernel with this number wrote, or the only one that wrote."""
    name = f"{pid}.cells" if pid else "*.cells"
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), name))) if rings else ():
        try:
            return Notebook(entries(path))
        except OSError:
            continue
    return Notebook()
