"""`outlive fix`: judge the record, derive patches, run the patched copies, show or apply the best."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from outlive.coroner.judge import judge
from outlive.coroner.stored_verdict import stored_verdict
from outlive.errors import UsageError
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import MASK
from outlive.keep.fix.apply import apply
from outlive.keep.fix.outcome import Outcome, Tried, as_json
from outlive.keep.fix.private_copy import NOTHING, PrivateCopy, private_copy
from outlive.keep.fix.propose import Proposal, Proposals, Text, propose
from outlive.keep.fix.rehearse import rehearse
from outlive.keep.fix.show import show
from outlive.keep.fix.start_again import Start, start_of
from outlive.keep.fix.user_files import UserFiles
from outlive.keep.fix.verify import verified
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.recorder.store.read_run import is_running, read_run
from outlive.recorder.store.read_run import start_of as record_of
from outlive.report.terminal import console_on
from outlive.source.cells import read_cells

#: A rehearsal lasts three times as long as the run did until it died, within these.
SHORTEST_SECONDS = 60.0
SHORTEST_OF_A_HANG = 120.0
LONGEST_SECONDS = 300.0
TIMES_AS_LONG = 3.0

#: After the end of a program its files are closed, and its record is written.
SECONDS_TO_CLOSE = 1.0

#: Patches that are run: each costs a run of the program.
MOST_TRIED = 3

#: A notebook is run again as a script of this name.
SCRIPT = "outlive_fix_notebook.py"


def fix(
    folder: str,
    name: str,
    *,
    write: bool = False,
    verify: bool = True,
    force: bool = False,
    as_data: bool = False,
    seconds: float = 0.0,
    command: str = "",
) -> int:
    """Offer a patch for a recorded run, and write it where that was asked for. Returns the exit status: 0 when it is verified."""
    payloads, rings = read_run(folder)
    record = record_of(payloads)
    if is_running(record) and not any(it.get("kind") == kinds.EXIT for it in payloads):
        raise UsageError("This run has not ended yet.", "Ask again when it has.")
    verdict, evidence = judge(os.path.basename(folder), payloads, rings)
    start = start_of(record, evidence, tuple(shlex.split(command)))
    words = start.command if isinstance(start, Start) else ()
    files = UserFiles(str(record.get("folder") or ""), evidence, words)
    changed = _changed_since(folder, files)
    proposals = Proposals((), (changed,)) if changed else propose(verdict, evidence, files.text_of)
    outcome = Outcome(verdict.run, verdict.cause, reasons=proposals.reasons)
    if proposals.found:
        tried = tuple(
            _tried(proposals.found[:MOST_TRIED], verdict, evidence, start, verify, seconds)
        )
        outcome = replace(outcome, tried=tried, notes=_notes(start))
    if write:
        outcome = _written(outcome, verify=verify, force=force)
    if as_data:
        print(as_json(outcome))
    else:
        show(outcome, console_on(sys.stdout), name=name)
    best = outcome.best
    return 0 if best is not None and (best.works or outcome.applied) else 1


def _changed_since(folder: str, files: UserFiles) -> str:
    """Say that the blamed line is not the one that ran; the lines of a verdict that is made anew are those of the present file."""
    stored = stored_verdict(folder)
    where = stored.cause.where if stored is not None and stored.cause is not None else None
    if where is None or not where.own or not where.code or MASK in where.code:
        return ""
    read = files.text_of(where)
    lines = read.text.splitlines() if isinstance(read, Text) else []
    if where.cell or not isinstance(read, Text) or read.path.endswith(".ipynb"):
        return ""
    here = lines[where.line - 1].strip() if 0 < where.line <= len(lines) else ""
    return (
        "" if here[: len(where.code)] == where.code else f"{where.file} was changed since the run"
    )


def _tried(
    found: Sequence[Proposal],
    verdict: Verdict,
    evidence: Evidence,
    start: Start | str,
    verify: bool,
    seconds: float,
) -> Iterator[Tried]:
    """Run one patched copy after the other, until one lives."""
    for proposal in found:
        if not verify:
            yield Tried(proposal, not_run="it was not run (--no-verify)")
            continue
        if isinstance(start, str):
            yield Tried(proposal, not_run=start)
            continue
        shortest = SHORTEST_OF_A_HANG if start.hung else SHORTEST_SECONDS
        most = seconds or min(max(TIMES_AS_LONG * start.seconds, shortest), LONGEST_SECONDS)
        print(
            f"outlive: running a patched copy ({proposal.slug}, at most {most:.0f} s) …",
            file=sys.stderr,
        )
        tried = _run(proposal, verdict, evidence, start, most)
        yield tried
        if tried.works:
            return


def _run(
    proposal: Proposal, verdict: Verdict, evidence: Evidence, start: Start, seconds: float
) -> Tried:
    try:
        with private_copy(_folders(proposal, start), _while_it_ran(start)) as copy:
            if not copy.write(proposal.path, proposal.after):
                return Tried(proposal, not_run="the file lies outside of the program's folder")
            rehearsal = rehearse(start, copy, lambda words: _script(proposal, copy, words), seconds)
    except OSError as error:
        return Tried(proposal, not_run=f"it could not be run in a copy: {error}")
    except KeyboardInterrupt:
        return Tried(proposal, not_run="it was interrupted")
    return Tried(proposal, verified(proposal, verdict, evidence, start, rehearsal))


def _while_it_ran(start: Start) -> tuple[float, float]:
    """From when to when the recorded run went on: what was written then is its own doing."""
    return (start.began, start.began + start.seconds + SECONDS_TO_CLOSE) if start.began else NOTHING


def _folders(proposal: Proposal, start: Start) -> list[str]:
    """The folder that the program was run in, and that of the file, if it lies elsewhere."""
    return [start.folder, os.path.dirname(os.path.abspath(proposal.path))]


def _script(proposal: Proposal, copy: PrivateCopy, words: list[str]) -> list[str]:
    """The command; of a notebook, its cells as a script."""
    if not proposal.path.endswith(".ipynb"):
        return words
    folder = os.path.dirname(copy.path_of(proposal.path) or proposal.path)
    path = os.path.join(folder, SCRIPT)
    with open(path, "w", encoding="utf-8") as file:
        file.write(read_cells(proposal.after).text)
    python = words[0] if "python" in os.path.basename(words[0]) else sys.executable
    return [python, path]


def _notes(start: Start | str) -> tuple[str, ...]:
    if isinstance(start, str) or not start.unknown:
        return ()
    return (
        f"hidden in the record, taken from your current environment: {', '.join(start.unknown)}",
    )


def _written(outcome: Outcome, *, verify: bool, force: bool) -> Outcome:
    best = outcome.best
    if best is None:
        raise UsageError("There is no patch to apply.", "outlive fix shows why.")
    if not best.works and verify:
        raise UsageError(
            f"The patch was not verified: {best.says.partition('because ')[2]}.",
            "To apply it all the same:  outlive fix --apply --no-verify",
        )
    proposal = best.proposal
    backup = apply(proposal.path, proposal.before, proposal.after, force=force)
    return replace(outcome, applied=proposal.path, backup=backup)
