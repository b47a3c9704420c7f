"""What an exception is about, with all that is known beside it: the user's line, the file, the tensors. Pure.

The words of the exception are taken apart by ``complaints``; here they meet what the program held as it ended (``Scene``) and what was
seen in the files afterwards (``Inspection``).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from outlive.model.data import Held, words_of
from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.fact_names import BYTES_STORED, FILE
from outlive.model.findings import Fact, Place
from outlive.model.patterns import bounded, has_word
from outlive.units.complaints import Complaint, complaint_of

#: Functions that look for files: of ``glob``, ``os``, ``pathlib`` and ``tf.io``.
SEARCHES = frozenset({"glob", "iglob", "rglob", "listdir", "scandir", "iterdir", "list_files"})

#: Operations that only hand out what a pipeline made: an error that names one came from a stage.
HANDS_OUT = frozenset({"IteratorGetNext", "IteratorGetNextSync", "IteratorGetNextAsOptional"})

TOLD_LINE = bounded(r'^[ \t]*File "', re.MULTILINE)


def complained(evidence: Evidence, kind: str) -> Complaint | None:
    """What the exception that the program ended for complains about, if it is this."""
    error = evidence.errors.fatal
    if error is None or not evidence.run.failed or evidence.run.ending.signal:
        return None
    found = complaint_of(error, evidence.scene)
    if found is not None and found.variant in ("zip", "not read", "if absent"):
        # One text for a file that is not there and for one that is not good: only a look at it tells.
        there = any(file.bytes is not None for file in evidence.inspection.files)
        otherwise = "" if found.variant == "if absent" else found.kind
        path = next((file.path for file in evidence.inspection.files), found.path)
        missing = replace(found, kind="missing-file", path=found.path or path)
        found = replace(found, kind=otherwise) if there else missing
    return found if found is not None and found.kind == kind else None


def line_of(evidence: Evidence, complaint: Complaint) -> Place | None:
    """The user's line that an exception is about: in a pipeline, the one that made the stage or operation which failed."""
    error, pipeline = evidence.errors.fatal, evidence.scene.pipeline
    told_itself = error is not None and "Traceback (most recent call last)" in error.message
    handed_out = pipeline is not None and evidence.scene.operation in HANDS_OUT
    if evidence.scene.made is not None and not told_itself and not handed_out:
        return evidence.scene.made
    if pipeline is not None and not told_itself:
        batch = pipeline.line_of("Batch", "ParallelBatch", "PaddedBatch", "MapAndBatch")
        if complaint.variant == "batch" and batch is not None:
            return batch
        if complaint.variant in ("tfrecord", "compressed", "fields", "field") and pipeline.reads:
            return pipeline.reads
    own_lines = error is not None and any(frame.own for frame in told_frames(error))
    if pipeline is not None and complaint.variant == "generator" and not own_lines:
        return pipeline.reads or complaint.thrown.own
    return complaint.thrown.own or (error.own if error is not None else None)


def told_frames(error: Thrown) -> tuple[Place, ...]:
    """The frames that stand in the text of an error: those of a Python function that TensorFlow called."""
    count = len(TOLD_LINE.findall(error.message))
    return error.frames[:count]


def facts_of_complaint(evidence: Evidence, complaint: Complaint) -> tuple[Fact, ...]:
    """Collect the facts about an exception: its words, and what it was handed on as."""
    kind = complaint.thrown.type.rpartition(".")[2]
    found = [Fact("exception", f"{kind}: {complaint.words}", "the program")]
    error = evidence.errors.fatal
    if error is not None and error is not complaint.thrown:
        first = next(iter(error.message.strip().splitlines()), "")
        found.append(Fact("handed on as", f"{error.type}: {first}"[:200], "the program"))
    return tuple(found)


def facts_of_inspection(evidence: Evidence) -> tuple[Fact, ...]:
    """What was seen in the files after the death."""
    seen, found = "the file, read after the death", []
    for file in evidence.inspection.files:
        found.append(Fact(FILE, file.path, f"known by {file.known_by}", private=True))
        if file.bytes is not None:
            found.append(Fact(BYTES_STORED, file.bytes, seen))
        if file.record is not None:
            found.append(Fact("record", f"number {file.record}, at byte {file.offset}", seen))
        if file.detail:
            found.append(Fact("it holds", file.detail, seen))
    if evidence.inspection.seen:
        some = "" if evidence.inspection.whole else " checked in the available time"
        names = f" ({', '.join(evidence.inspection.others)})" if evidence.inspection.others else ""
        found.append(
            Fact(
                "bad files there",
                f"{evidence.inspection.bad} of {evidence.inspection.seen}{some}{names}",
                "the other files, read after the death",
            )
        )
    return tuple(found)


def command_for_faults(evidence: Evidence) -> tuple[str, ...]:
    """The command that lists every bad file of the folder."""
    folder = evidence.inspection.folder
    return (f"outlive scan {shlex.quote(folder)}",) if folder else ()


def values_like(evidence: Evidence, complaint: Complaint) -> tuple[Held, ...]:
    """The program's arrays that a complaint about shapes may be about: of a shape that it names, then on the line itself."""
    named = {shape.replace(" ", "") for shape in (complaint.first, complaint.second) if shape}
    line = line_of(evidence, complaint)

    def rank(held: Held) -> tuple[bool, bool]:
        shown = "".join(words_of(held.shape or ()).split())
        bare = {shown, shown.replace(",)", ")"), f"[{shown[1:-1].rstrip(',')}]"}
        on_line = line is not None and has_word(line.code, held.name)
        return (not bare & named, not on_line)

    shaped = [held for held in evidence.scene.values if held.shape is not None or held.shapes]
    near = [held for held in shaped if rank(held) != (True, True)]
    return tuple(sorted(near, key=rank))


def values_of_dtype(evidence: Evidence, *dtypes: str) -> tuple[Held, ...]:
    """The program's arrays that have one of these dtypes, those of the innermost function first, each name once."""
    found: dict[str, Held] = {}
    for held in evidence.scene.values:
        if held.dtype and held.dtype in dtypes:
            found.setdefault(held.name, held)
    return tuple(found.values())


def on_line(values: tuple[Held, ...], line: Place | None) -> tuple[Held, ...]:
    """Those of the program's values whose name stands on the line: what was made of another value only has its type."""
    return tuple(held for held in values if line is not None and has_word(line.code, held.name))


def fact_of(held: Held) -> Fact:
    """One of the program's values: what it was, and where it was made."""
    made = f", made at {held.made}: {held.made.code}" if held.made is not None else ""
    return Fact(f"`{held.name}`", f"{held.words}{made}"[:300], "the program's variables")


def empty_search(evidence: Evidence) -> tuple[Thrown, Held, Place] | None:
    """An empty list that a search for files made, in a frame of the exception that ended the program."""
    error = evidence.errors.fatal
    if error is None or not evidence.run.failed or complaint_of(error, evidence.scene) is not None:
        return None
    for held in evidence.scene.values:
        if held.count == 0 and held.made is not None and SEARCHES & set(held.made_by):
            return error, held, held.made
    return None
