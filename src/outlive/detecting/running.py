"""A detection job from its inputs to its answers, with or without a folder that remembers it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from outlive.detecting.results import seal
from outlive.detecting.settings import Settings
from outlive.enduring import QUARANTINE_NAME, Answer, done_before, endure, in_quarantine
from outlive.keep.job import Job
from outlive.keep.journal import Journal, replace_file


class Detection:
    """One job."""

    def __init__(
        self,
        settings: Settings,
        names: Callable[[], Iterable[str]],
        out: str | None = None,
        resume: bool = False,
    ) -> None:
        self.settings = settings
        self.journal = Journal(out, settings.identity(), resume) if out is not None else None
        self._done, self.quarantined_before = (
            done_before(self.journal) if self.journal is not None else (set(), 0)
        )
        self.done_before = len(self._done)
        self._names = names
        self.job = Job(
            settings.task(),
            self._items(),
            most=settings.batch,
            deadline=settings.deadline,
            budget=settings.budget,
            least_bytes=settings.least_bytes,
        )

    def count(self) -> int:
        """How many inputs there are, those of earlier runs included."""
        return sum(1 for _ in self._names())

    def _items(self) -> Iterator[dict[str, Any]]:
        for name in self._names():
            if name not in self._done:
                yield {"path": name}

    def answers(self) -> Iterator[Sequence[Answer]]:
        """As they are safe; sometimes none."""
        yield from endure(
            self.job,
            self.journal,
            lambda item: str(item["path"]),
            lambda item: os.path.abspath(item["path"]),
        )

    def finish(self) -> str | None:
        """Make the results of all that is in the journal; the path of the file."""
        if self.journal is None:
            return None
        lines = [json.dumps(one) + "\n" for one in in_quarantine(self.journal.records())]
        replace_file(os.path.join(self.journal.folder, QUARANTINE_NAME), "".join(lines))
        return seal(
            self.journal.folder, self.settings.format, self.journal.records, self.settings.labels
        )

    def close(self) -> None:
        """Let go of the folder."""
        if self.journal is not None:
            self.journal.close()
