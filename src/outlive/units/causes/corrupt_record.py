"""A file of records that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Finding, Remedy
from outlive.units.complaint_facts import (
    command_for_faults,
    complained,
    facts_of_complaint,
    facts_of_inspection,
    line_of,
)
from outlive.units.unit import cause


@cause(
    "D402",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "DataLossError: corrupted record at",
        "DataLossError: truncated record at",
        "Compressed file ended before the end-of-stream marker was reached",
        "EOFError: Ran out of input",
        "Not a gzipped file",
    ),
)
def corrupt_record(evidence: Evidence) -> Iterator[Finding]:
    """A file of records (TFRecord, .npy, .npz, gzip, pickle …) is damaged, truncated, or not compressed as the reader expects.

    ## What happened
    Reading the data set failed in the middle of a file: a writer that was killed or not closed left it truncated, a
    copy changed a bit, or the file is compressed but is read as uncompressed (or the other way round). TensorFlow names
    an offset, but no file.

    ## How we know
    The reader says so (`DataLossError`, `BadZipFile` …). Outlive went through the files that the pipeline reads, or that the program's
    variables name, and found the record whose length or checksum does not hold.

    ## What to do
    Write the file again, or remove it. Close writers (`with tf.io.TFRecordWriter(…)`), write to a temporary name and rename. Give
    `compression_type="GZIP"` when the files are compressed. `ignore_errors()` silently drops the rest of the file.
    """
    complaint = complained(evidence, "corrupt-record")
    if complaint is None:
        return
    culprit = next(iter(evidence.inspection.files), None)
    if culprit is None:
        says = f"A record file could not be read: {complaint.words}."
    elif culprit.record is not None:
        says = f"Record {culprit.record} of `{culprit.name}` (at byte {culprit.offset}) {culprit.fault}."
    else:
        fault = culprit.fault or f"could not be read: {complaint.words}"
        says = f"The file `{culprit.name}` {fault}."
    yield Finding(
        says,
        (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
        evidence.errors.sure_of(
            complaint.thrown, seen=any(file.fault for file in evidence.inspection.files)
        ),
        _remedies(evidence, culprit.fault if culprit else complaint.words),
        where=line_of(evidence, complaint),
    )


def _remedies(evidence: Evidence, fault: str) -> tuple[Remedy, ...]:
    if "compressed" in fault or "header check" in fault:
        kind = "ZLIB" if "ZLIB" in fault else "GZIP"
        told = "is not compressed" in fault or "header check" in fault
        return (
            Remedy(
                'Read it uncompressed: drop compression_type="GZIP".'
                if told
                else f'Tell the reader: tf.data.TFRecordDataset(files, compression_type="{kind}").'
            ),
        )
    if "Git LFS" in fault:
        return (Remedy("Download the real file.", ("git lfs pull",)),)
    culprit = next(iter(evidence.inspection.files), None)
    name = f"`{culprit.name}`" if culprit is not None else "the file"
    first = Remedy(f"Rewrite or remove {name}; close the writer before reading the file.")
    find = command_for_faults(evidence)
    return (first, Remedy("List every bad file there:", find)) if find else (first,)
