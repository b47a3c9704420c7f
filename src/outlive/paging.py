"""The verdict as a page: gather what it shows, write it where it was asked for, open it."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.evidence import Evidence
from outlive.examine import ruled_out
from outlive.model import Place, Verdict
from outlive.record import runs
from outlive.record.history import moments
from outlive.record.masking import mask_text
from outlive.report.page import page
from outlive.report.share import Stranger
from outlive.report.story import Story, for_strangers
from outlive.rewriting import Rewriting, rewriting
from outlive.showing import names_to_hide, neighbours_of

STDOUT = "-"

#: A longer file is hardly one that a person wrote.
LARGEST_SOURCE_BYTES = 1_000_000


class PageNotWritten(OutliveError):
    """The file could not be written."""


def story_of(
    verdict: Verdict,
    evidence: Evidence,
    payloads: Sequence[dict[str, Any]],
    rings: str | None,
    share: bool,
) -> Story:
    """Everything that the page of a run shows; masked, if strangers will read it."""
    began = next(
        (payload.get("time") for payload in payloads if payload.get("kind") == "run"), None
    )
    where = verdict.cause.where if verdict.cause else None
    told = Story(
        verdict=verdict,
        evidence=evidence,
        moments=moments(payloads, rings),
        source=neighbours_of(evidence)(where) if where else (),
        ruled_out=ruled_out(evidence, verdict) if evidence.failed else (),
        began=time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(began)) if began else "",
        rewriting=_rewriting(verdict, evidence),
    )
    return for_strangers(told, Stranger(mask_text, names_to_hide())) if share else told


def _rewriting(verdict: Verdict, evidence: Evidence) -> Rewriting | None:
    """How the blamed line would read after one of the remedies."""
    cause = verdict.cause
    if cause is None or cause.where is None:
        return None
    return rewriting(_source_of(cause.where, evidence), cause.where, cause.remedies)


def _source_of(place: Place, evidence: Evidence) -> str:
    """The text of the file or cell that a place is in, or nothing."""
    for cell in evidence.cells:
        if cell.name == place.file and not cell.silent:
            return cell.code
    path = os.path.join(evidence.program.folder, place.file)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(LARGEST_SOURCE_BYTES)
    except (OSError, ValueError):
        return ""


def write_page(told: Story, target: str, look: bool) -> None:
    """Write the page; say where, and open it when that was asked for."""
    text = page(told)
    if target == STDOUT:
        print(text, end="")
        return
    try:
        runs.write_private(target, text)
    except OSError as error:
        raise PageNotWritten(
            f"Cannot write {target}: {error.strerror}.",
            "Give another file:  outlive why --html FILE",
        ) from error
    print(f"outlive: the page is in {target}", file=sys.stderr)
    if look and not webbrowser.open(f"file://{os.path.abspath(target)}"):
        print("outlive: no browser could be started; open the file yourself.", file=sys.stderr)
