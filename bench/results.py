"""The measurements of one run, kept on disk after each of them, so that an interrupted run loses one at most."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = "outlive.bench/1"

#: The round that is thrown away; only failures are kept of it.
WARM_UP = 0


class UnreadableResults(Exception):
    """The file is not one that this bench has written."""


@dataclass(frozen=True)
class Task:
    """One measurement to be made. Those of a block run one after the other, and one of them is bare."""

    section: str
    case: str
    subject: str
    block: str
    round: int


@dataclass(frozen=True)
class Measurement:
    """What came of a task: values by name, or the word to report instead."""

    task: Task
    values: dict[str, float] = field(default_factory=dict)
    failure: str = ""


@dataclass
class Results:
    """All measurements, what was asked for, and where they were made."""

    settings: dict[str, Any]
    machine: dict[str, str]
    measurements: list[Measurement] = field(default_factory=list)

    def done(self) -> set[Task]:
        """Tasks that need not be repeated."""
        return {measurement.task for measurement in self.measurements}

    def failures(self, section: str, subject: str) -> Iterator[tuple[str, str]]:
        """The cases in which a subject could not be measured, and the word that stands for it."""
        for measurement in self.measurements:
            task = measurement.task
            if measurement.failure and (task.section, task.subject) == (section, subject):
                yield task.case, measurement.failure

    def failure(self, section: str, case: str, subject: str) -> str:
        """The same for one case; nothing if all went well."""
        return dict(self.failures(section, subject)).get(case, "")

    def save(self, path: Path) -> None:
        """Replace the file at once: whoever reads it, or resumes from it, sees a whole one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {"schema": SCHEMA, **asdict(self)}
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(document, indent=1) + "\n")
        os.replace(part, path)

    @classmethod
    def load(cls, path: Path) -> Results:
        """Read what ``save`` wrote, and nothing else."""
        try:
            document = json.loads(path.read_text())
            if document["schema"] != SCHEMA:
                raise UnreadableResults(f"{path}: the schema is not {SCHEMA}")
            measurements = [
                Measurement(Task(**entry["task"]), entry["values"], entry["failure"])
                for entry in document["measurements"]
            ]
            return cls(document["settings"], document["machine"], measurements)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnreadableResults(f"{path}: {error}") from error
