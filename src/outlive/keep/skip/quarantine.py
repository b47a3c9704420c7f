"""What was skipped: one line of JSON for each file or record, and an end to it when there are too many."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from typing import Any

from outlive.coroner.mask_verdict import hidden
from outlive.errors import OutliveError, UsageError
from outlive.inside.notes.describe import masked

LOG = logging.getLogger("outlive")

#: Longer texts and errors are cut.
LONGEST = 500

#: By file, what this process has named in it: training and validation may share a log, and a pipeline may be built anew each epoch.
NAMED: dict[str, set[str]] = {}


class TooManyBad(OutliveError):
    """More was skipped than was allowed."""

    __module__ = "outlive"


class Quarantine:
    """The file, and how much may still be skipped. Written as it happens, so that a run that is killed has told what it skipped."""

    def __init__(self, path: str | os.PathLike[str], at_most: int) -> None:
        self.path = os.path.abspath(os.fspath(path))
        refuse_unwritable(self.path)
        self.at_most = at_most
        self.count = 0
        self._lock = threading.Lock()
        self._known: set[str] = set()
        if not os.path.exists(self.path):
            NAMED.pop(self.path, None)  # taken away, perhaps by the program: it begins anew
        self._named = NAMED.setdefault(self.path, set())

    @property
    def full(self) -> bool:
        """Whether more was skipped than is allowed."""
        return self.count > self.at_most

    def add(self, error: str, **what: Any) -> None:
        """Name one thing that was skipped. Each is counted once, however many epochs skip it, and written once, however many datasets do."""
        entry = {key: value for key, value in what.items() if value not in (None, "")}
        identity = json.dumps(entry, sort_keys=True, default=str)
        with self._lock:
            if identity in self._known:
                return
            self._known.add(identity)
            self.count += 1
            text = masked(error.strip(), LONGEST) or "not known"
            if identity in self._named:
                return
            self._named.add(identity)
            entry = hidden(entry)
            line = {**entry, "error": text, "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
            self._write(json.dumps(line, ensure_ascii=False, default=str))
        if len(self._named) == 1:
            name = next(iter(entry.values()), "an element")
            LOG.warning("outlive: skipped %s (%s); more in %s", name, text[:120], self.path)

    def _write(self, line: str) -> None:
        try:
            with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(line + "\n")
        except (
            OSError
        ) as error:  # a disk that is full: the run goes on, which is what was asked for
            LOG.warning("outlive: cannot write %s (%s): %s", self.path, error, line)

    def refuse_more(self) -> None:
        """Raise when too much was skipped: then something else is wrong than some bad files."""
        if self.full:
            raise TooManyBad(
                f"skip_bad has skipped {self.count} elements, more than at_most={self.at_most}; they are listed in {self.path}.",
                "Check their errors: if most of a data set is bad, the code or the storage is at fault.",
            )


def refuse_unwritable(path: str) -> None:
    """Raise now rather than when the first bad element is met, hours later. Leaves no file where there was none."""
    existed = os.path.exists(path)
    try:
        with open(path, "a", encoding="utf-8"):
            pass
        if not existed:
            os.unlink(path)
    except OSError as error:
        raise UsageError(
            f"Cannot write the list of bad elements to {path}: {error.strerror}.",
            "Give a writable file:  outlive.skip_bad(dataset, log='bad.jsonl')",
        ) from error
