"""A detection job from its inputs to its answers, with or without a folder that remembers it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from outlive.detection.images.draw_boxes import FOLDER_NAME, SHEET_NAME, make_sheet
from outlive.detection.images.videos import MARK, frames_of, need_opencv
from outlive.detection.inputs import is_video
from outlive.detection.results import NAMES, rows_of, seal
from outlive.detection.settings import Settings
from outlive.errors import UsageError
from outlive.jobs.endure import QUARANTINE_NAME, Answer, done_before, endure, in_quarantine
from outlive.jobs.local_executor import DEADLINE, PATIENCE, LocalExecutor
from outlive.jobs.results_journal import Journal, replace_file, writing

#: What a job writes into its folder besides its journal.
WRITES = (*NAMES.values(), FOLDER_NAME, QUARANTINE_NAME, SHEET_NAME)


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
        if next(iter(names()), None) is None:
            raise UsageError(
                "The inputs contain no picture and no video.",
                "Folders are searched for .jpg, .png, .gif, .webp, .bmp, .tif and videos; a file given by name is used as is.",
            )
        self.journal = (
            Journal(out, settings.identity(), resume, WRITES) if out is not None else None
        )
        self._done, self.quarantined_before = (
            done_before(self.journal) if self.journal is not None else (set(), 0)
        )
        self.done_before = len(self._done)
        self._names = names
        self._own = os.path.join(os.path.abspath(out), "") if out is not None else ""
        self._frames: dict[str, range] = {}
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

    def count(self) -> int:
        """How many inputs there are, those of earlier runs included."""
        return sum(1 for _ in self._all())

    def _items(self) -> Iterator[dict[str, Any]]:
        return (item for item in self._all() if item["name"] not in self._done)

    def _all(self) -> Iterator[dict[str, Any]]:
        """Every picture, and every frame of every video."""
        for path in self._names():
            if self._own and os.path.abspath(path).startswith(self._own):
                continue  # annotated copies of our own, in a folder of pictures
            if not is_video(path):
                yield {"path": path, "name": path}
                continue
            if path not in self._frames:
                need_opencv()
                self._frames[path] = frames_of(path, self.settings.every)
            for number in self._frames[path]:
                yield {"path": path, "frame": number, "name": f"{path}{MARK}{number}"}

    def answers(self) -> Iterator[Sequence[Answer]]:
        """As they are safe; sometimes none."""
        yield from endure(
            self.job,
            self.journal,
            lambda item: str(item["name"]),
            lambda item: os.path.abspath(item["path"]),
        )

    def finish(self) -> str | None:
        """Make the results of all that is in the journal; the path of the file."""
        if self.journal is None:
            return None
        folder, records = self.journal.folder, self.journal.records
        lines = [json.dumps(one) + "\n" for one in in_quarantine(records())]
        with writing(folder):
            replace_file(os.path.join(folder, QUARANTINE_NAME), "".join(lines))
            if self.settings.draw:
                self.sheet = make_sheet(folder, rows_of(records()), self.settings.labels)
            return seal(folder, self.settings.format, records, self.settings.labels)

    def close(self) -> None:
        """Let go of the folder."""
        if self.journal is not None:
            self.journal.close()
