"""A picture or record that cannot be read is skipped, alone, and named."""

from __future__ import annotations

import os

from outlive.keep.healing import Case, Change
from outlive.record import runs

SLUGS = ("corrupt-image", "corrupt-record")


def heal(case: Case) -> Change | str:
    """Only what a tf.data pipeline reads: what the program opens itself it must skip itself."""
    if case.evidence.scene.pipeline is None:
        return "it was not read by a tf.data pipeline, which alone can be told to skip it"
    log = os.path.join(case.folder, runs.QUARANTINE_NAME)
    return Change(
        "skipped bad input",
        f"bad elements of the program's tf.data pipelines are skipped, each named with its error in {log}.",
        links={runs.SKIP_NAME: log},
    )
