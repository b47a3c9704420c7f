"""The verdict as a page: gather what it shows, write it where it was asked for, open it."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.evidence import Evidence
from outlive.examine import ruled_out
from outlive.model import Place, Verdict
from outlive.record import runs
from outlive.record.archive import sources_in
from outlive.record.history import moments
from outlive.record.kernels import record_about
from outlive.record.masking import mask_text
from outlive.report.page import page
from outlive.report.share import Stranger
from outlive.report.story import Story, for_strangers
from outlive.rewriting import Rewriting, rewriting
from outlive.showing import names_to_hide, neighbours_in

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
    known = {cell.name: cell.code for cell in evidence.cells if not cell.silent}
    known |= sources_in(payloads)
    around = neighbours_in(
        evidence.program.folder, {name: text.split("\n") for name, text in known.items()}
    )
    told = Story(
        verdict=verdict,
        evidence=evidence,
        moments=moments(*record_about(evidence, payloads, rings)),
        source=around(where) if where else (),
        ruled_out=ruled_out(evidence, verdict) if evidence.failed else (),
        began=time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(began)) if began else "",
        rewriting=_rewriting(verdict, evidence.program.folder, known),
    )
    return for_strangers(told, Stranger(mask_text, names_to_hide())) if share else told


def _rewriting(verdict: Verdict, folder: str, known: Mapping[str, str]) -> Rewriting | None:
    """How the blamed line would read after one of the remedies."""
    cause = verdict.cause
    if cause is None or cause.where is None:
        return None
    return rewriting(_source_of(cause.where, folder, known), cause.where, cause.remedies)


def _source_of(place: Place, folder: str, known: Mapping[str, str]) -> str:
    """The text of the file or cell that a place is in, or nothing."""
    path = os.path.join(folder, place.file)
    if place.file in known or path in known:
        return known.get(place.file) or known[path]
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read(LARGEST_SOURCE_BYTES)
    except (OSError, ValueError):
        return ""


def write_page(told: Story, target: str, look: bool) -> None:
    """Write the page; say where, and open it when that was asked for."""
    hand_out(page(told), target, look)


def hand_out(text: str, target: str, look: bool) -> None:
    """The same for a page that is made already."""
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
