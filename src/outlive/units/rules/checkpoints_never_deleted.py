"""Checkpoints that fill the disk."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

MANY = 50


@rule("R507", since="0.1", needs=("max_to_keep",), prevents=("disk-full",))
def checkpoints_never_deleted(source: Source) -> Iterator[Finding]:
    """Every checkpoint is kept, until the disk is full.

    ## Why it is bad
    A checkpoint is three times as large as the model (Adam keeps two numbers for each weight). Saved at every epoch and
    never deleted, they fill the disk overnight, and the one that is being written at that moment is lost as well.

    ## Bad
        manager = tf.train.CheckpointManager(checkpoint, "checkpoints", max_to_keep=None)
        for epoch in range(1000):
            manager.save()

    ## Good
        manager = tf.train.CheckpointManager(checkpoint, "checkpoints", max_to_keep=3)
        for epoch in range(1000):
            manager.save()
    """
    saves = any(source.turns(save) >= MANY for save in source.methods("save"))
    for call in source.calls("tf.train.CheckpointManager", "tf.train.Saver"):
        wanted = source.argument(call, None, "max_to_keep")
        if wanted is None:
            continue
        count = source.number(wanted)
        all_of_them = (isinstance(wanted, ast.Constant) and wanted.value is None) or count == 0
        if all_of_them or (count is not None and count >= MANY):
            yield Finding(
                "Every checkpoint is kept."
                if all_of_them
                else f"{count:.0f} checkpoints are kept.",
                confidence=Confidence.LIKELY if all_of_them and saves else Confidence.POSSIBLE,
                remedies=(
                    Remedy(
                        "Keep only a few: max_to_keep=3, with keep_checkpoint_every_n_hours for the rest."
                    ),
                ),
                where=source.place(call),
            )
