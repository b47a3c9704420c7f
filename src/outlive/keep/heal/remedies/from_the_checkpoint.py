"""A program that saved a checkpoint before it died goes on from there."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy

#: Keras goes on from these by itself.
RESUMING = "BackupAndRestore"

#: Of what these save it would be seen if it were read.
SEEN_WHEN_READ = frozenset({"TensorFlow", "Keras", RESUMING})


@remedy(
    "T104",
    since="0.2",
    heals=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "address-space-limit",
        "allocation-refused",
        "kept-in-container",
        "function-retraced",
        "graph-grows",
        "tape-kept-open",
        "native-leak",
    ),
    searched=("resume from checkpoint",),
)
def from_the_checkpoint(case: Case) -> Change | str | None:
    """A program that saved a checkpoint before it died is restarted and continues from there.

    ## What changes
    Nothing but the restart: the program reads the checkpoint itself.

    ## When it is tried
    After an out-of-memory death, when there is a checkpoint on the disk that the program saved in this run, and the
    program is known to read it (it did so when it started, or it uses Keras' `BackupAndRestore`), or was stopped by the
    brake.

    ## When it is not
    There is no checkpoint; or the program was started again before and did not read what it had saved, so it would start over.
    """
    saving = case.evidence.saving
    here = [one for one in saving.saved if one.path in case.checkpoints]
    if not here:
        return None
    last = here[-1]
    resumes = bool(saving.restored) or any(one.by == RESUMING for one in here)
    seen = any(by in SEEN_WHEN_READ for by in case.saved_before.values())
    if case.saved_before and seen and not saving.restored:
        before = next(iter(case.saved_before))
        return f"it saved {before}, but did not read it after the restart: it would start over"
    if not (resumes or case.brake_on):
        return None
    known = (
        "which it reads at startup"
        if resumes
        else "if it reads it; whether it does is not known, and if not it starts over"
    )
    return Change(
        "resume from checkpoint",
        f"the program resumes from {last.path} (saved by {last.by}), {known}.",
    )
