"""The limit on open files is raised to what this user may have."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = ("too-many-open-files",)

#: More than this nobody needs, and some programs walk through all numbers.
ENOUGH = 65_536


def heal(case: Case) -> Change | str:
    """Nothing where the hard limit is reached, or the whole machine's."""
    soft, hard = case.open_files
    wanted = ENOUGH if hard < 0 else min(hard, ENOUGH)
    if case.evidence.circumstances.files is None:
        return "it was not this program's own limit that was reached"
    if wanted <= soft:
        return f"the limit of {soft} open files cannot be raised by this user (ulimit -Hn)"
    return Change(
        "more open files",
        f"the program may have {wanted} files open instead of {soft}.",
        open_files=wanted,
    )
