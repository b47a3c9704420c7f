"""A picture that cannot be decoded."""

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
    "D401",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "Unknown image file format. One of JPEG, PNG, GIF, BMP required",
        "Invalid JPEG data or crop window",
        "UnidentifiedImageError: cannot identify image file",
        "image file is truncated",
        "Corrupt JPEG data: premature end of data segment",
    ),
)
def corrupt_image(evidence: Evidence) -> Iterator[Finding]:
    """A picture file is damaged, truncated, empty, or not a picture at all.

    ## What happened
    One file of the data set cannot be decoded, and the decoder's error ended the whole run. Typical: a download that broke off, a
    0-byte file, a web page or a Git LFS pointer saved as `.jpg`, a disk that was full when the file was written.

    ## How we know
    The decoder says so. TensorFlow does not say which file: Outlive found it by the name or the contents of what the
    program held in its variables, or by looking at the files that the pipeline reads, and checked its signature and
    checksums after the death.

    ## What to do
    Replace or remove the file. The command in the verdict lists all files below the folder that have such a fault. In a
    pipeline, filter bad files out first: `ignore_errors()` after `batch` drops the whole batch, the good pictures too.
    """
    complaint = complained(evidence, "corrupt-image")
    if complaint is None:
        return
    culprit = next(iter(evidence.inspection.files), None)
    several = len(evidence.inspection.files) > 1
    if culprit is None:
        says = f"A picture could not be decoded: {complaint.words}."
    elif not culprit.fault:
        says = f"The picture `{culprit.name}` could not be decoded: {complaint.words}."
    else:
        which = (
            f"One of {len(evidence.inspection.files)} bad pictures, such as"
            if several
            else "The picture"
        )
        says = f"{which} `{culprit.name}`, could not be decoded: it {culprit.fault}."
        says = says if several else says.replace("`, could", "` could")
    yield Finding(
        says,
        (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
        evidence.errors.sure_of(
            complaint.thrown, seen=any(file.fault for file in evidence.inspection.files)
        ),
        _remedies(evidence),
        where=line_of(evidence, complaint),
    )


def _remedies(evidence: Evidence) -> tuple[Remedy, ...]:
    culprit = next(iter(evidence.inspection.files), None)
    name = f"`{culprit.name}`" if culprit is not None else "the file"
    find = command_for_faults(evidence)
    return (
        Remedy(
            f"Replace {name} with a good copy, or remove it from the data set.",
        ),
        Remedy("List every bad file there:", find)
        if find
        else Remedy("To find it, decode the files one by one and print each name first."),
    )
