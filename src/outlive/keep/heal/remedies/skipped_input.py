"""A picture, record or file that cannot be read is skipped, alone, and named."""

from __future__ import annotations

import os

from outlive.inside.notes import links
from outlive.model.heal_case import Case, Change
from outlive.recorder.store import run_folders
from outlive.units.unit import remedy


@remedy(
    "T106",
    since="0.2",
    heals=("corrupt-image", "corrupt-record", "missing-file"),
    searched=("skipped bad input",),
)
def skipped_input(case: Case) -> Change | str:
    """A picture, record or file that cannot be read is skipped, alone, and named.

    ## What changes
    In the next attempt the program's tf.data pipelines skip elements that cannot be read, as `outlive.skip_bad` does, and write each of
    them with its error to a file that is named on stderr.

    ## When it is tried
    After a death that is proven to come from a damaged picture or record, or a file that is not there, which a tf.data pipeline read.

    ## When it is not
    The program opened the file itself: then it must skip it itself.
    """
    if case.evidence.scene.pipeline is None:
        return "it was not read by a tf.data pipeline; only those can skip it"
    log = os.path.join(case.folder, run_folders.QUARANTINE_NAME)
    return Change(
        "skipped bad input",
        f"bad elements of the program's tf.data pipelines are skipped, each logged with its error in {log}.",
        links={links.SKIP: log},
    )
