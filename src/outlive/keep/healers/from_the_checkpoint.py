"""A program that saved a checkpoint before it died goes on from there."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = (
    "memory-limit-reached",
    "machine-out-of-memory",
    "address-space-limit",
    "allocation-refused",
    "kept-in-container",
    "function-retraced",
    "graph-grows",
    "tape-kept-open",
    "native-leak",
)

#: Keras goes on from these by itself.
RESUMING = "BackupAndRestore"

#: Of what these save it would be seen if it were read.
SEEN_WHEN_READ = frozenset({"TensorFlow", "Keras", RESUMING})


def heal(case: Case) -> Change | str | None:
    """Of one that does not read what it saved it is known that it would begin anew; of one that nobody has seen start again it is not known."""
    saving = case.evidence.saving
    here = [one for one in saving.saved if one.path in case.checkpoints]
    if not here:
        return None
    last = here[-1]
    resumes = bool(saving.restored) or any(one.by == RESUMING for one in here)
    seen = any(by in SEEN_WHEN_READ for by in case.saved_before.values())
    if case.saved_before and seen and not saving.restored:
        before = next(iter(case.saved_before))
        return (
            f"it saved {before}, but did not read it when it was started again: it would begin anew"
        )
    if not (resumes or case.brake_on):
        return None
    known = (
        "which it reads when it starts"
        if resumes
        else "if it reads it; whether it does is not known, and if not it begins anew"
    )
    return Change(
        "resume from checkpoint",
        f"the program goes on from {last.path} (saved by {last.by}), {known}.",
    )
