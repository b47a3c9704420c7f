"""The limit on open files is raised to what this user may have."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = ("too-many-open-files",)

#: More than this nobody needs, and some programs walk through all numbers.
ENOUGH = 65_536


def heal(case: Case) -> Change | None:
    """Nothing where the hard limit is reached, or the whole machine's."""
    soft, hard = case.open_files
    wanted = ENOUGH if hard < 0 else min(hard, ENOUGH)
    if case.evidence.circumstances.files is None or wanted <= soft:
        return None
    return Change(
        "more open files",
        f"the program may have {wanted} files open instead of {soft}.",
        open_files=wanted,
    )
