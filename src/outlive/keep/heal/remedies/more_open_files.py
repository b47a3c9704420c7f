"""The limit on open files is raised to what this user may have."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy

#: More than this nobody needs, and some programs walk through all numbers.
ENOUGH = 65_536


@remedy("T105", since="0.2", heals=("too-many-open-files",), searched=("more open files",))
def more_open_files(case: Case) -> Change | str:
    """The limit on open files is raised to what this user may have.

    ## What changes
    The soft limit on open files (`ulimit -n`) becomes the hard limit, but at most 65,536, for the next attempt.

    ## When it is tried
    After a death that is proven to come from too many open files of this program.

    ## When it is not
    The whole machine's limit was reached, or the soft limit equals the hard limit already.
    """
    soft, hard = case.open_files
    wanted = ENOUGH if hard < 0 else min(hard, ENOUGH)
    if case.evidence.circumstances.files is None:
        return "the limit reached is not this program's own"
    if wanted <= soft:
        return f"the limit of {soft} open files cannot be raised by this user (ulimit -Hn)"
    return Change(
        "more open files",
        f"the program may have {wanted} files open instead of {soft}.",
        open_files=wanted,
    )
