"""Few files may be open at once."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import OPEN_FILES_LIMIT, OPEN_FILES_LIMIT_HARD
from outlive.model.findings import Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: The usual soft limit; less is somebody's choice.
USUAL = 1024


@check("H401", since="0.2", prevents=("too-many-open-files",))
def open_files_limit_low(here: Surroundings) -> Iterator[Finding]:
    """The limit on open files is lower than a pipeline over many files needs.

    ## Why it matters
    Interleaved reading, event writers, workers and their pipes each hold files open. At the limit every `open` fails with "Too many open
    files", often in a library that hides it.

    ## What to do
    Raise the soft limit before the program starts; no privilege is needed up to the hard limit.
    """
    soft, hard = here.number(OPEN_FILES_LIMIT), here.number(OPEN_FILES_LIMIT_HARD)
    if here.text(OPEN_FILES_LIMIT) == "unlimited":
        yield here.fine("No limit on open files.", OPEN_FILES_LIMIT)
    elif soft is None:
        yield here.unknown(OPEN_FILES_LIMIT)
    elif soft < USUAL:
        wanted = 65536 if hard is None else round(min(65536, hard))
        commands = (
            (f"ulimit -n {wanted}",) if wanted > soft else ("docker run --ulimit nofile=65536 …",)
        )
        yield here.warning(
            f"Only {soft:.0f} files may be open at once.",
            OPEN_FILES_LIMIT, OPEN_FILES_LIMIT_HARD,
            remedies=(Remedy("Raise the limit in the shell that starts the program.", commands),),
        )  # fmt: skip
    else:
        yield here.fine(
            f"{soft:.0f} files may be open at once.", OPEN_FILES_LIMIT, OPEN_FILES_LIMIT_HARD
        )
