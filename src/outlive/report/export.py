"""`outlive runs export`: a run as one file that somebody else can read, masked if they are a stranger."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

from outlive.coroner.judge import judge
from outlive.coroner.readings.shown_source import shown_lines
from outlive.coroner.stored_verdict import stored_verdict
from outlive.errors import OutliveError
from outlive.model.evidence import Evidence
from outlive.model.findings import Place, Verdict
from outlive.model.own_fields import own_fields
from outlive.model.verdict_json import to_json
from outlive.recorder.store import run_folders
from outlive.recorder.store.archive import pack
from outlive.recorder.store.read_run import read_run
from outlive.recorder.store.users_files import lines_of
from outlive.report.html_page import page
from outlive.report.write_page import story_of

MOST_SOURCES = 60
LARGEST_SOURCE_BYTES = 150_000


class NotExported(OutliveError):
    """The file could not be written."""


def export(folder: str, target: str, share: bool) -> None:
    """Write the file; the verdict in it is the one that was made when the run ended."""
    payloads, rings = read_run(folder)
    verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    story = story_of(verdict, evidence, payloads, rings, share=share)
    told = story.verdict if share else stored_verdict(folder) or verdict
    texts = {run_folders.VERDICT_NAME: to_json(told) + "\n", run_folders.PAGE_NAME: page(story)}
    sources = None if share else dict(_sources(verdict, evidence))
    try:
        pack(target, folder, texts, sources)
    except OSError as error:
        raise NotExported(
            f"Cannot write {target}: {error.strerror}.",
            "Give another file:  outlive runs export RUN FILE",
        ) from error


def _sources(verdict: Verdict, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The program's own files that anything known about the run points to, by their whole paths; secrets masked."""
    files = dict.fromkeys(
        place.file for place in _places((verdict, evidence)) if place.own and place.file
    )
    for file in list(files)[:MOST_SOURCES]:
        path = os.path.join(evidence.run.program.folder, file)
        text = "".join(lines_of(path))
        if 0 < len(text) <= LARGEST_SOURCE_BYTES:
            yield path, "\n".join(shown_lines(text))


def _places(value: Any) -> Iterator[Place]:
    """Every place in a noun."""
    if isinstance(value, Place):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _places(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _places(item)
    elif is_dataclass(value):
        for field in own_fields(value):
            yield from _places(getattr(value, field.name))
