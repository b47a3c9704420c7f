"""`outlive runs export`: a run as one file that somebody else can read, masked if they are a stranger."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from outlive.errors import OutliveError
from outlive.evidence import Evidence
from outlive.judging import judge
from outlive.model import Place, Verdict
from outlive.paging import story_of
from outlive.record import runs
from outlive.record.archive import pack
from outlive.record.masking import mask_text
from outlive.record.reading import read_run
from outlive.report.data import to_json
from outlive.report.page import page
from outlive.stored import stored_verdict

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
    texts = {runs.VERDICT_NAME: to_json(told) + "\n", runs.PAGE_NAME: page(story)}
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
        path = os.path.join(evidence.program.folder, file)
        try:
            if os.path.getsize(path) <= LARGEST_SOURCE_BYTES:
                with open(path, encoding="utf-8") as source:
                    yield path, mask_text(source.read())
        except (OSError, ValueError):
            continue


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
        for field in fields(value):
            yield from _places(getattr(value, field.name))
