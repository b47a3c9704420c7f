"""A model or checkpoint that cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Finding, Remedy
from outlive.units.complaint_facts import (
    complained,
    facts_of_complaint,
    facts_of_inspection,
    line_of,
)
from outlive.units.unit import cause


@cause(
    "D403",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "Unable to open file (file signature not found)",
        "Unable to synchronously open file (truncated file",
        "DataLossError: not an sstable (bad magic number)",
        "Checksum does not match: stored vs. calculated on the restored bytes",
        "Model provided has model identifier, should be 'TFL3'",
    ),
)
def corrupt_weights(evidence: Evidence) -> Iterator[Finding]:
    """A file of weights (.keras, .h5, checkpoint, SavedModel, .tflite) is damaged, truncated, or not what its name says.

    ## What happened
    Loading the model failed because the file is not what was saved: a save that was interrupted or met a full disk, a download that broke
    off, a Git LFS pointer, or two files of a checkpoint that do not belong together.

    ## How we know
    The loader says so, and the file itself (signature, stated length, checksums) was checked after the death.

    ## What to do
    Take the last good copy and compare its length and checksum with the original; with Git, `git lfs pull`. Save to a temporary name and
    rename, and keep more than one checkpoint (`tf.train.CheckpointManager(max_to_keep=3)`).
    """
    complaint = complained(evidence, "corrupt-weights")
    if complaint is None:
        return
    culprit = next(iter(evidence.inspection.files), None)
    if culprit is None:
        says = f"The weights could not be loaded: {complaint.words}."
    else:
        fault = culprit.fault or f"is damaged: {complaint.words}"
        says = f"The weights could not be loaded: `{culprit.name}` {fault}."
    name = f"`{culprit.name}`" if culprit is not None else "the file"
    lfs = culprit is not None and "Git LFS" in culprit.fault
    yield Finding(
        says,
        (*facts_of_complaint(evidence, complaint), *facts_of_inspection(evidence)),
        evidence.errors.sure_of(
            complaint.thrown, seen=any(file.fault for file in evidence.inspection.files)
        ),
        (
            Remedy("Download the real file.", ("git lfs pull",))
            if lfs
            else Remedy(f"Replace {name} with a good copy (download or save it again)."),
        ),
        where=line_of(evidence, complaint),
    )
