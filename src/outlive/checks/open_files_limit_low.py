"""Few files may be open at once."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.surroundings import Surroundings
from outlive.unit import check

#: The usual soft limit; less is somebody's choice.
USUAL = 1024


@check("H401", since="0.2", prevents=("too-many-open-files",))
def open_files_limit_low(here: Surroundings) -> Iterator[Finding]:
    """Fewer files may be open at once than a pipeline over many files needs.

    ## Why it matters
    Interleaved reading, event writers, workers and their pipes each hold files open. At the limit every `open` fails with "Too many open
    files", often in a library that hides it.

    ## What to do
    Raise the soft limit before the program starts; no privilege is needed up to the hard limit.
    """
    soft, hard = here.number("open files limit"), here.number("open files limit, hard")
    if here.text("open files limit") == "unlimited":
        yield here.fine("No limit on open files.", "open files limit")
    elif soft is None:
        yield here.unknown("open files limit")
    elif soft < USUAL:
        wanted = 65536 if hard is None else round(min(65536, hard))
        commands = (
            (f"ulimit -n {wanted}",) if wanted > soft else ("docker run --ulimit nofile=65536 …",)
        )
        yield here.warning(
            f"Only {soft:.0f} files may be open at once.",
            "open files limit", "open files limit, hard",
            remedies=(Remedy("Raise the limit in the shell that starts the program.", commands),),
        )  # fmt: skip
    else:
        yield here.fine(
            f"{soft:.0f} files may be open at once.", "open files limit", "open files limit, hard"
        )
