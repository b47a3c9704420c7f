"""A record that is not what the reader expects."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from outlive.model.data import Feature
from outlive.model.evidence import Evidence
from outlive.model.findings import Finding, Remedy
from outlive.units.complaint_facts import (
    complained,
    facts_of_complaint,
    facts_of_inspection,
    line_of,
)
from outlive.units.complaints import Complaint
from outlive.units.unit import cause

#: As records name types -> as TensorFlow does.
TYPES = {"float": "float32", "bytes": "string"}


@cause(
    "D405",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "Can't parse serialized Example",
        "Feature is required but could not be found",
        "Data types don't match. Data type: int64 but expected type: float",
    ),
)
def record_schema_mismatch(evidence: Evidence) -> Iterator[Finding]:
    """A record is intact, but its fields or types are not those that the reader asks for.

    ## What happened
    The feature description (or the columns of a CSV file) does not fit what was written: a feature is missing in some records, was written
    as float and is read as int64, has another number of values, or a row has another number of fields. TensorFlow names the feature, not
    the record.

    ## How we know
    The parser says so. Outlive read the records of the files that the pipeline reads and found the first that does not fit, its number and
    its features.

    ## What to do
    Make both sides agree: give the feature a default (`tf.io.FixedLenFeature([], tf.int64, default_value=-1)`), read lists of changing
    length as `VarLenFeature`, or write the records again. Names of features are compared letter by letter: `Label` is not `label`.
    """
    complaint = complained(evidence, "record-schema-mismatch")
    if complaint is None:
        return
    culprit = next(iter(evidence.inspection.files), None)
    says = _says(complaint)
    alike = next(iter(evidence.inspection.similar), "") if complaint.variant == "missing" else ""
    if culprit is not None and alike:
        says = (
            f"The reader asks for the feature `{complaint.name}`, but every record of `{culprit.name}` "
            f"that was read calls it `{alike}`"
        )
    elif culprit is not None and culprit.record is not None:
        says = f"Record {culprit.record} of `{culprit.name}` {culprit.fault}: {says[0].lower()}{says[1:]}"
    yield Finding(
        f"{says}.",
        (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
        evidence.errors.sure_of(complaint.thrown),
        (Remedy(_remedy(evidence, complaint)),),
        where=line_of(evidence, complaint),
    )


def _says(complaint: Complaint) -> str:
    name = complaint.name.strip().rstrip(",")
    if complaint.variant == "missing":
        return (
            f"The reader requires the feature `{name}` ({complaint.second}), but a record has none"
        )
    if complaint.variant == "type":
        return f"The feature `{name}` is {complaint.first}, but is read as {complaint.second}"
    if complaint.variant == "number" and complaint.first:
        return f"The feature `{name}` has {complaint.first} values, but is read with the shape {complaint.second}"
    if complaint.variant == "number":
        return (
            f"The feature `{name}` has a different number or type of values than the reader expects"
        )
    if complaint.variant == "no example":
        return "A record is not a serialized tf.train.Example"
    if complaint.variant == "fields":
        row = f"Row {name}" if name else "A row"
        return f"{row} has {complaint.first} fields where {complaint.second} are expected"
    if complaint.variant == "field" and complaint.first:
        return f"A field should be {complaint.second}, but is {complaint.first.strip()[:60]!r} ({complaint.words})"
    if complaint.variant == "column":
        return f"There is no column or object `{name}` in the file"
    return f"A record does not match its reader: {complaint.words}"


def _remedy(evidence: Evidence, complaint: Complaint) -> str:
    name = complaint.name.strip()
    if complaint.variant == "missing":
        return _of_a_missing_one(evidence, complaint, name)
    if complaint.variant == "type":
        kind = complaint.first.replace("float", "float32")
        count = _count_of(evidence, name)
        if count is None:
            return f"Read it as it was written: give `{name}` the type tf.{kind}."
        return f'Read it as it was written: "{name}": {_reader(count, kind)}.'
    if complaint.variant == "number":
        count = _count_of(evidence, name)
        if count is None and complaint.first:
            count = 0
        kind = next((TYPES.get(one.kind, one.kind) for one in _written(evidence, name)), "…")
        if count is None:
            return f'Give the actual shape, or read variable-length lists: "{name}": tf.io.VarLenFeature(…).'
        if not count and complaint.first:
            return f'Read as many values as were written: "{name}": {_reader(int(complaint.first), kind)}; if the number differs from record to record, tf.io.VarLenFeature(tf.{kind}).'
        return f'Read as many values as were written: "{name}": {_reader(count, kind)}.'
    if complaint.variant == "no example":
        return "Check how the records were written: SerializeToString() of a tf.train.Example?"
    return "Fix the row, or give the reader the actual columns and types."


def _of_a_missing_one(evidence: Evidence, complaint: Complaint, name: str) -> str:
    """A feature that no record has was mostly spelt otherwise: a default would hide that."""
    look = evidence.inspection
    if look.similar:
        return f"Write `{look.similar[0]}` in the feature description, as in the records: capitals and signs count."
    others = [one.name for file in look.files[:1] for one in file.features]
    alike = difflib.get_close_matches(name.casefold(), [one.casefold() for one in others], 1, 0.6)
    spelt = next((one for one in others if alike and one.casefold() == alike[0]), "")
    if spelt:
        return f"The records call it `{spelt}`: read that name instead of `{name}`."
    if look.seen and look.bad == look.seen and look.whole:
        return f"No record has `{name}`; they have {', '.join(others[:6]) or 'no features'}. Read one of these, or write the records again with `{name}`."
    kind = {"string": '""'}.get(complaint.second, "0")
    return (
        f'Some records lack `{name}`: write it into them, or, if {kind} may stand for "not there", give a default: "{name}": '
        f"tf.io.FixedLenFeature([], tf.{complaint.second.replace('float', 'float32')}, default_value={kind})."
    )


def _written(evidence: Evidence, name: str) -> list[Feature]:
    """The feature in each record that was found to differ."""
    return [one for file in evidence.inspection.files for one in file.features if one.name == name]


def _count_of(evidence: Evidence, name: str) -> int | None:
    """How many values the records have; 0 when they differ, None when no record was seen."""
    counts = {one.count for one in _written(evidence, name)}
    return counts.pop() if len(counts) == 1 else 0 if counts else None


def _reader(count: int, kind: str) -> str:
    if count == 0:
        return f"tf.io.VarLenFeature(tf.{kind})"
    return f"tf.io.FixedLenFeature([{count if count > 1 else ''}], tf.{kind})"
