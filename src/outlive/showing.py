"""How a verdict reaches a person: colours only on a terminal, source lines read from the disk, one line for a healthy run."""

from __future__ import annotations

import getpass
import linecache
import os
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console

from outlive.evidence import Evidence
from outlive.model import EndingKind, Place, Verdict, size
from outlive.record.masking import mask_text
from outlive.report.data import to_json
from outlive.report.share import Stranger
from outlive.report.text import Neighbours, render, visible

#: A pipe has no width; this is what fits in an issue and in a log.
WIDTH_OF_A_PIPE = 100


def console_on(stream: object) -> Console:
    """A console that knows whether its stream is a terminal."""
    is_terminal = bool(getattr(stream, "isatty", lambda: False)())
    return Console(
        file=stream,  # type: ignore[arg-type]  # any text stream will do
        width=None if is_terminal else WIDTH_OF_A_PIPE,
        highlight=False,
        markup=False,
        emoji=False,
    )


def neighbours_in(folder: str, known: Mapping[str, Sequence[str]] | None = None) -> Neighbours:
    """Source lines around a place: of a file as it is on the disk now; of a cell, and of what came with the record, as it was run."""

    def around(place: Place) -> Sequence[tuple[int, str]]:
        numbers = range(max(1, place.line - 2), place.line + 3)
        path = os.path.join(folder, place.file)
        lines_of = (known or {}).get(place.file) or (known or {}).get(path)
        if lines_of is not None:
            return [(number, lines_of[number - 1]) for number in numbers if number <= len(lines_of)]
        lines = [(number, linecache.getline(path, number).rstrip("\n")) for number in numbers]
        if place.code and linecache.getline(path, place.line).strip() != place.code:
            return ()  # the file has changed since
        return [(number, text) for number, text in lines if text or number == place.line]

    return around


def neighbours_of(evidence: Evidence) -> Neighbours:
    """The same, for a run that has just ended."""
    cells = {cell.name: cell.lines for cell in evidence.cells if not cell.silent}
    return neighbours_in(evidence.program.folder, cells)


def show_after_run(verdict: Verdict, evidence: Evidence, as_json: bool) -> None:
    """After `outlive run`: the verdict of a death; one line, on a terminal only, when all went well."""
    if not verdict.findings and verdict.ending.kind is EndingKind.SUCCESS:
        if sys.stderr.isatty() and not as_json:
            peak = evidence.fact("peak memory")
            used = f", peak memory {size(peak)}" if isinstance(peak, int) else ""
            console_on(sys.stderr).print(f"outlive: {verdict.ending.detail}{used}.", style="dim")
        return
    if as_json:
        print(to_json(verdict), file=sys.stderr)
        return
    if verdict.ending.kind is EndingKind.SUCCESS and verdict.cause is not None:
        # Nobody died: a line that can be overlooked, not a page.
        cause = verdict.cause
        at = f" ({cause.where})" if cause.where else ""
        console_on(sys.stderr).print(
            f"outlive: {verdict.ending.detail}, but: {visible(cause.says)}{visible(at)}  [{cause.slug}]"
            "  More: outlive why",
            style="dim",
        )
        return
    render(verdict, console_on(sys.stderr), neighbours_of(evidence))


def show(verdict: Verdict, neighbours: Neighbours, *, as_json: bool, share: bool) -> None:
    """For `outlive why`."""
    if share:
        verdict = Stranger(mask_text, names_to_hide()).verdict(verdict)
    if as_json:
        print(to_json(verdict))
    elif share:
        render(verdict, console_on(sys.stdout))
    else:
        render(verdict, console_on(sys.stdout), neighbours)


def names_to_hide() -> list[str]:
    """The words that tell who and where this is."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        user = ""
    return [user, os.uname().nodename]
