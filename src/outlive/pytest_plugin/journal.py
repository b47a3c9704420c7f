"""What ran in a test run, written so that it survives any death: one line of JSON for each step, handed to the kernel at once.

Loaded by every pytest where Outlive is installed: standard library only, and little of it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # pytest's start waits for this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

#: Names the journal, and after a colon the process that keeps it, once that is known.
VARIABLE = "OUTLIVE_TESTS"

#: Of the text of a failure, what a report needs.
MOST_TEXT = 20_000


#: As they were before a test replaced them by a file system of its own.
_open, _write, _close = os.open, os.write, os.close


class Journal:
    """The journal of one process of a test run.

    It is opened for each line: a test may close every descriptor that it finds, and the next file would get its number.
    """

    def __init__(self, path: str) -> None:
        import json

        self._dumps = json.dumps
        self._path: str | None = path

    def write(self, what: str, **more: object) -> None:
        """Append one step to the journal; without a journal do nothing."""
        if self._path is None:
            return
        line = self._dumps({"what": what, "pid": os.getpid(), **more}) + "\n"
        try:
            handle = _open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _write(handle, line.encode("utf-8", "backslashreplace"))
            finally:
                _close(handle)
        except OSError:
            self._path = None  # the tests must not fail for it


def own_journal(is_worker: bool) -> str | None:
    """The journal that this process shall keep: that of the run itself, or of a worker that it started; not of a pytest within a test."""
    path, _, keeper = os.environ.get(VARIABLE, "").partition(":")
    if not path:
        return None
    if not keeper:
        os.environ[VARIABLE] = f"{path}:{os.getpid()}"
        return path
    return path if is_worker and keeper == str(os.getppid()) else None


def read(path: str) -> list[dict[str, Any]]:
    """All steps that were written whole."""
    import json

    steps = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines: Iterable[str] = file.readlines()
    except OSError:
        return []
    for line in lines:
        try:
            step = json.loads(line)
        except ValueError:
            continue  # a process died while it wrote
        if isinstance(step, dict) and isinstance(step.get("what"), str):
            steps.append(step)
    return steps


def shortened(text: str) -> str:
    """A text that fits a report: its end, where the error is."""
    return text if len(text) <= MOST_TEXT else "…" + text[-MOST_TEXT:]


def phases(steps: Iterable[dict[str, Any]], what: str) -> Iterator[dict[str, Any]]:
    """The steps of one kind."""
    return (step for step in steps if step["what"] == what)
