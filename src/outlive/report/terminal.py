"""How a verdict reaches a person: colours only on a terminal, source lines read from the disk, one line for a healthy run."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.console import Console

from outlive.coroner.readings.shown_source import shown_line, shown_lines
from outlive.inside.notes.masking import mask_text
from outlive.model.fact_names import PEAK_MEMORY
from outlive.model.findings import NO_EFFECT, EndingKind, Place, Verdict, size
from outlive.model.verdict_json import to_json
from outlive.recorder.store.users_files import lines_of as users_lines
from outlive.report.headline import UNNAMED, headline, program_name
from outlive.report.screen import Address, render_screen
from outlive.report.share import Stranger
from outlive.report.text import Neighbours, render, visible

if TYPE_CHECKING:  # most commands print without it, and loading it takes longer than all the rest
    from outlive.model.evidence import Evidence

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
    """Source lines around a place, without secrets: of a file as it is on the disk now; of a cell, and of what came with the record, as it was run."""

    def around(place: Place) -> Sequence[tuple[int, str]]:
        numbers = range(max(1, place.line - 2), place.line + 3)
        path = os.path.join(folder, place.file)
        lines_of = (known or {}).get(place.file) or (known or {}).get(path)
        if lines_of is not None:
            lines_of = shown_lines("\n".join(lines_of))
            return [
                (number, lines_of[number - 1]) for number in numbers if 0 < number <= len(lines_of)
            ]
        source = "".join(users_lines(path))
        lines = [(number, shown_line(source, number)) for number in numbers]
        if place.code and shown_line(source, place.line).strip()[:200] != place.code:
            return ()  # the file has changed since
        return [(number, text) for number, text in lines if text or number == place.line]

    return around


def address_in(folder: str) -> Address:
    """Where a place can be opened from a terminal: a file that is there now, on this host."""

    def address(place: Place) -> str:
        path = os.path.join(folder, place.file)
        return f"file://{os.uname().nodename}{quote(path)}" if os.path.isfile(path) else ""

    return address


def neighbours_of(evidence: Evidence) -> Neighbours:
    """The same, for a run that has just ended."""
    cells = {cell.name: cell.lines for cell in evidence.notebook.cells if not cell.silent}
    return neighbours_in(evidence.run.program.folder, cells)


def show_after_run(verdict: Verdict, evidence: Evidence, as_json: bool) -> None:
    """After `outlive run`: the verdict of a death; one line, on a terminal only, when all went well."""
    if verdict.ending.kind is EndingKind.SUCCESS and not as_json:
        _say_what_had_no_effect(verdict)
    if not verdict.findings and verdict.ending.kind is EndingKind.SUCCESS:
        if sys.stderr.isatty() and not as_json:
            peak = evidence.run.fact(PEAK_MEMORY)
            used = f", peak memory {size(peak)}" if isinstance(peak, int) else ""
            console_on(sys.stderr).print(
                f"outlive: {headline(verdict.ending, program_name(evidence.run.program.command))}{used}.",
                style="dim",
            )
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
    program = evidence.run.program
    render_screen(
        verdict,
        console_on(sys.stderr),
        neighbours_of(evidence),
        program_name(program.command),
        address_in(program.folder),
    )


def _say_what_had_no_effect(verdict: Verdict) -> None:
    """Say it in one line each; the verdict of a death has it among its gaps."""
    for name, why in verdict.gaps.items():
        if why.startswith(NO_EFFECT):
            print(f"outlive: {visible(name)} {visible(why)}.", file=sys.stderr)


def show_undecided(verdict: Verdict, as_json: bool) -> None:
    """After `outlive run`, when judging was cut off."""
    if as_json:
        print(to_json(verdict), file=sys.stderr)
    else:
        render_screen(verdict, console_on(sys.stderr))


def show(
    verdict: Verdict, neighbours: Neighbours, *, as_json: bool, share: bool, name: str = UNNAMED
) -> None:
    """Print a verdict on stdout for `outlive why`: as text or JSON, masked with --share."""
    if share:
        verdict = Stranger(mask_text, names_to_hide()).verdict(verdict)
    if as_json:
        print(to_json(verdict))
    elif share:
        render(verdict, console_on(sys.stdout))
    else:
        render(verdict, console_on(sys.stdout), neighbours, name)


def names_to_hide() -> list[str]:
    """The words that tell who and where this is."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        user = ""
    return [user, os.uname().nodename]
