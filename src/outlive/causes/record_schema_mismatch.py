"""A record that is not what the reader expects."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.at_fault import complained, facts_of_complaint, facts_of_inspection, line_of
from outlive.complaints import Complaint
from outlive.evidence import Evidence
from outlive.model import Finding, Remedy
from outlive.unit import cause


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
    """A record is whole, but holds other fields or types than the reader asks for.

    ## What happened
    The feature description (or the columns of a CSV file) does not fit what was written: a feature is missing in some records, was written
    as float and is read as int64, has another number of values, or a row has another number of fields. TensorFlow names the feature, not
    the record.

    ## How we know
    The parser says so. Outlive read the records of the files that the pipeline reads and found the first that does not fit, its number and
    its features.

    ## What to do
    Make both sides agree: give the feature a default (`tf.io.FixedLenFeature([], tf.int64, default_value=-1)`), read lists of changing
    length as `VarLenFeature`, or write the records again.
    """
    complaint = complained(evidence, "record-schema-mismatch")
    if complaint is None:
        return
    culprit = next(iter(evidence.inspection.files), None)
    says = _says(complaint)
    if culprit is not None and culprit.record is not None:
        says = f"Record {culprit.record} of `{culprit.name}` {culprit.fault}: {says[0].lower()}{says[1:]}"
    yield Finding(
        f"{says}.",
        (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
        evidence.sure_of_fatal_error,
        (Remedy(_remedy(complaint)),),
        where=line_of(evidence, complaint),
    )


def _says(complaint: Complaint) -> str:
    name = complaint.name.strip().rstrip(",")
    if complaint.variant == "missing":
        return (
            f"The reader requires the feature `{name}` ({complaint.second}), and a record has none"
        )
    if complaint.variant == "type":
        return f"The feature `{name}` is {complaint.first}, but is read as {complaint.second}"
    if complaint.variant == "number" and complaint.first:
        return f"The feature `{name}` has {complaint.first} values, but is read with the shape {complaint.second}"
    if complaint.variant == "number":
        return f"The feature `{name}` has another number or type of values than it is read with"
    if complaint.variant == "no example":
        return "A record is no serialized tf.train.Example"
    if complaint.variant == "fields":
        row = f"Row {name}" if name else "A row"
        return f"{row} has {complaint.first} fields where {complaint.second} are expected"
    if complaint.variant == "field" and complaint.first:
        return f"A field should be {complaint.second}, but is {complaint.first.strip()[:60]!r} ({complaint.words})"
    if complaint.variant == "column":
        return f"There is no column or object `{name}` in the file"
    return f"A record does not fit its reader: {complaint.words}"


def _remedy(complaint: Complaint) -> str:
    name = complaint.name
    if complaint.variant == "missing":
        kind = {"string": '""'}.get(complaint.second, "0")
        return (
            f'Write `{name}` into every record, or give a default: "{name}": '
            f"tf.io.FixedLenFeature([], tf.{complaint.second.replace('float', 'float32')}, default_value={kind})."
        )
    if complaint.variant == "type":
        kind = complaint.first.replace("float", "float32")
        return f'Read it as it was written: "{name}": tf.io.FixedLenFeature([], tf.{kind}).'
    if complaint.variant == "number":
        return f'Give the true shape, or read lists of changing length: "{name}": tf.io.VarLenFeature(…).'
    if complaint.variant == "no example":
        return "Check how the records were written: SerializeToString() of a tf.train.Example?"
    return "Correct the row, or tell the reader the true columns and types."
