"""The limit on the size of a file was reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME, in_bytes
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

TOO_LARGE = bounded(r"File too large")
EFBIG = 27

#: A fact of this cause alone: its name, and the unit of its number, are declared here.
BLOCK = in_bytes("a block of ulimit")
BLOCK_BYTES = 1024


@cause(
    "D699",
    since="99.0",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "OSError: [Errno 27] File too large",
        "ulimit -f file size limit exceeded",
        "exit code 1",
        "checkpoint no space left on device",
    ),
)
def file_size_limit(evidence: Evidence) -> Iterator[Finding]:
    """A file grew to the largest size that this process may write (`ulimit -f`, RLIMIT_FSIZE).

    ## What happened
    The system refuses a write past the limit on the size of a file, although the disk has room. Python ignores the signal that comes
    with it (SIGXFSZ) and raises `OSError` instead.

    ## How we know
    The exception that ended the program has the error number `EFBIG`.

    ## What to do
    Raise the limit, or write several smaller files.
    """
    found = evidence.errors.like(TOO_LARGE, EFBIG)
    if found is None:
        return
    error, sure = found
    yield Finding(
        "A file reached the largest size that this process may write.",
        (
            Fact("refused", error.words, "exception"),
            Fact(BLOCK, BLOCK_BYTES, "ulimit counts in blocks of this size"),
            *evidence.run.because(RUN_TIME),
        ),
        sure,
        (Remedy("Raise the limit on the size of files.", ("ulimit -f unlimited",)),),
        where=evidence.errors.line_of(error),
    )
