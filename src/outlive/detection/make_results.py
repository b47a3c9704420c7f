"""What a job leaves when it has finished, made of what it has kept: results, quarantine, contact sheet."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from outlive.data.atomic_file import replacing
from outlive.detection.images.draw_boxes import FOLDER_NAME, SHEET_NAME, make_sheet
from outlive.detection.results import NAMES, rows_of, seal
from outlive.jobs.endure import QUARANTINE_NAME, in_quarantine
from outlive.jobs.results_journal import writing
from outlive.model.quick_dataclass import dataclass

#: What a job writes into its folder besides its journal.
WRITES = (*NAMES.values(), FOLDER_NAME, QUARANTINE_NAME, SHEET_NAME)


@dataclass(frozen=True, slots=True)
class Made:
    """In which form the results are wanted."""

    format: str
    labels: Mapping[int, str]
    draw: bool = False


def make_results(
    folder: str, records: Callable[[], Iterator[Mapping[str, Any]]], made: Made
) -> tuple[str, str | None]:
    """Write everything anew; the paths of the results and, if it was asked for, of the contact sheet."""
    with writing(folder):
        lines = (json.dumps(one) + "\n" for one in in_quarantine(records()))
        path = os.path.join(folder, QUARANTINE_NAME)
        with replacing(path) as beside, open(beside, "w", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        sheet = make_sheet(folder, rows_of(records()), made.labels) if made.draw else None
        return seal(folder, made.format, records, made.labels), sheet
