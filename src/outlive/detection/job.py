"""A detection job from its inputs to its answers, with or without a folder that remembers it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from outlive.detection.images.draw_boxes import FOLDER_NAME
from outlive.detection.items import Items, name_of, path_of, refuse_no_input
from outlive.detection.make_results import WRITES, Made, make_results
from outlive.detection.settings import Settings
from outlive.jobs.endure import Answer, done_before, endure
from outlive.jobs.local_executor import DEADLINE, PATIENCE, LocalExecutor
from outlive.jobs.results_journal import Journal, writing


class Detection:
    """One job of `outlive detect`: its settings, its pictures, its journal and its results."""

    def __init__(
        self,
        settings: Settings,
        names: Callable[[], Iterable[str]],
        out: str | None = None,
        resume: bool = False,
    ) -> None:
        self.settings = settings
        self.sheet: str | None = None  #: the contact sheet, once there is one
        refuse_no_input(names)
        self.journal = (
            Journal(out, settings.identity(), resume, WRITES) if out is not None else None
        )
        self._done, self.quarantined_before = (
            done_before(self.journal) if self.journal is not None else (set(), 0)
        )
        self.done_before = len(self._done)
        self._all = Items(names, settings.every, out)
        if settings.draw and out is not None:
            with writing(out):
                os.makedirs(os.path.join(out, FOLDER_NAME), exist_ok=True)
        self.job = LocalExecutor(
            settings.task(out),
            self._items(),
            most=settings.batch,
            deadline=settings.deadline or DEADLINE,
            patience=PATIENCE if settings.deadline is None else 1.0,
            budget=settings.budget,
            least_bytes=settings.least_bytes,
        )

    @cached_property
    def total(self) -> int:
        """How many inputs there are, those of earlier runs included."""
        return sum(1 for _ in self._all)

    def _items(self) -> Iterator[dict[str, Any]]:
        return (item for item in self._all if item["name"] not in self._done)

    def answers(self) -> Iterator[Sequence[Answer]]:
        """As they are safe; sometimes none."""
        yield from endure(self.job, self.journal, name_of, path_of)

    def finish(self) -> str | None:
        """Make the results of all that is in the journal; the path of the file."""
        if self.journal is None:
            return None
        made = Made(self.settings.format, self.settings.labels, self.settings.draw)
        path, self.sheet = make_results(self.journal.folder, self.journal.records, made)
        return path

    @property
    def folder(self) -> str | None:
        """Where it keeps what it finds."""
        return self.journal.folder if self.journal is not None else None

    @property
    def merged_later(self) -> bool:
        """Its results are made at its end."""
        return False

    @property
    def resume_words(self) -> tuple[str, ...]:
        """What has to be added to the command to go on."""
        return ("--resume",)

    def is_whole(self, answered: int) -> bool:
        """Whether nothing is left to do."""
        return answered >= self.total

    def close(self) -> None:
        """Let go of the folder."""
        if self.journal is not None:
            self.journal.close()
