"""What can be seen of a path that is not there: how much of it exists, and which names resemble it."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Iterable, Sequence

from outlive.coroner.files.candidates import MAX_NAMES, MAX_WALKED, Candidates, length_of
from outlive.data.formats.file_faults import PICTURE_NAMES
from outlive.inside.notes.masking import MASK
from outlive.model.data import Inspection, LookedAt


class MissingSearch(Candidates):
    """Looks for the part of a path that exists."""

    def _missing(self) -> Inspection | None:
        named = (
            held.path for held in self._scene.values if held.path.lower().endswith(PICTURE_NAMES)
        )
        path = self._complaint.path or next(named, "")
        missing = self._absolute(path) if path else ""
        if not path or MASK in missing:  # a name that was masked is not the one that is on the disk
            return None
        parent = missing.rstrip("/")
        while parent and not os.path.exists(parent):
            parent = os.path.dirname(parent)
        rest = missing[len(parent) :].strip("/").split("/")
        try:
            names = sorted(os.listdir(parent)) if os.path.isdir(parent) else []
        except OSError:
            names = []
        return Inspection(
            files=(LookedAt(missing, "the message", length_of(missing)),),
            folder=parent,
            seen=len(names),
            exists=parent,
            similar=tuple(_resembling(rest[0], names[:MAX_WALKED])),
        )


def _resembling(wanted: str, names: Sequence[str]) -> Iterable[str]:
    """Names that somebody may have meant: alike, or of the same kind with another ending."""
    if any(mark in wanted for mark in "*?["):
        stem = wanted.rpartition(".")[0] or "*"
        return [name for name in names if fnmatch.fnmatch(name.lower(), f"{stem.lower()}.*")][
            :MAX_NAMES
        ]
    lowered = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), lowered, MAX_NAMES, 0.7)
    return [lowered[name] for name in close]
