"""The verdict as a page: gather what it shows, write it where it was asked for, open it."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.coroner.examine import ruled_out
from outlive.coroner.gather.moments import moments
from outlive.coroner.mask_verdict import hidden
from outlive.coroner.notebook_kernels import record_about
from outlive.errors import OutliveError
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import mask_text
from outlive.model.evidence import Evidence, Run
from outlive.model.findings import Place, Verdict
from outlive.recorder.store import run_folders
from outlive.recorder.store.archive import sources_in
from outlive.recorder.store.users_files import text_of
from outlive.report.html_page import page
from outlive.report.masked_story import for_strangers
from outlive.report.share import Stranger
from outlive.report.story import Story
from outlive.report.terminal import names_to_hide, neighbours_in
from outlive.report.text import visible
from outlive.source.rewrite import Rewriting, rewriting

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
        (payload.get("time") for payload in payloads if payload.get("kind") == kinds.RUN), None
    )
    where = verdict.cause.where if verdict.cause else None
    known = {cell.name: cell.code for cell in evidence.notebook.cells if not cell.silent}
    known |= sources_in(payloads)
    around = neighbours_in(
        evidence.run.program.folder, {name: text.split("\n") for name, text in known.items()}
    )
    told = Story(
        verdict=verdict,
        evidence=evidence,
        moments=moments(*record_about(evidence, payloads, rings)),
        source=around(where) if where else (),
        ruled_out=ruled_out(evidence, verdict) if evidence.run.failed else (),
        began=time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(began)) if began else "",
        rewriting=hidden(_rewriting(verdict, evidence.run.program.folder, known)),
    )
    return for_strangers(told, Stranger(mask_text, names_to_hide())) if share else told


def story_without_record(verdict: Verdict) -> Story:
    """The page of a run of which only the verdict came, from elsewhere."""
    return Story(verdict=verdict, evidence=Evidence(Run(ending=verdict.ending, gaps=verdict.gaps)))


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
    return text_of(path, LARGEST_SOURCE_BYTES) or ""


def write_page(told: Story, target: str, look: bool) -> None:
    """Write the page; say where, and open it when that was asked for."""
    text = page(told)
    if target == STDOUT:
        print(text, end="")
        return
    try:
        run_folders.write_private(target, text)
    except OSError as error:
        raise PageNotWritten(
            f"Cannot write {target}: {error.strerror}.",
            "Give another file:  outlive why --html FILE",
        ) from error
    print(f"outlive: wrote {visible(target)}", file=sys.stderr)
    if look and not webbrowser.open(f"file://{os.path.abspath(target)}"):
        print("outlive: could not start a browser; open the file yourself.", file=sys.stderr)
