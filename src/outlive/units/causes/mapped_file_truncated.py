"""A mapped file that became shorter."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from outlive.model.crash import FaultAddress
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LENGTH_OF_THE_FILE, OFFSET_THAT_WAS_READ, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.model.patterns import bounded
from outlive.units.unit import cause

#: As Linux calls a file that was opened with O_TMPFILE.
UNNAMED = bounded(r"#\d{1,20}")


@cause(
    "D310",
    since="0.1",
    needs=("crash",),
    behind=("user-native-crashed", "native-op-crashed"),
    searched=(
        "numpy memmap Bus error",
        "file shortened while mmap SIGBUS",
        "Bus error (core dumped)",
        "exit code 135",
    ),
)
def mapped_file_truncated(evidence: Evidence) -> Iterator[Finding]:
    """A file that the program had mapped into memory was made shorter, and the program read past its new end.

    ## What happened
    `np.memmap`, `mmap` and many readers of data sets map a file instead of reading it. When another process overwrites
    the file in place (`open(path, "wb")`, `cp`, `rsync --inplace`), the pages past its end are gone at once, and
    touching one ends the process with SIGBUS ("Bus error").

    ## How we know
    The process was killed by SIGBUS at an address that belongs to the mapping of a file, beyond the end of that file.
    If the file is long enough again, because the other process has finished writing it, or if it has been removed
    since, the cause is *likely*, not *proven*: a disk that failed or was full leaves the same trace.

    ## What to do
    The writer should write a new file beside the old one and rename it: readers then keep the old one until they are
    done.
    """
    site = evidence.crash.site
    fault = site.fault if site is not None else None
    if (
        site is None
        or fault is None
        or fault.kind != "file"
        or not evidence.crash.faulted("SIGBUS")
    ):
        return
    if not fault.past_the_file and site.mount_free_bytes is not None:
        return  # in memory: its file system may have been full
    name = fault.file.rpartition("/")[2]
    length = Fact(LENGTH_OF_THE_FILE, fault.file_bytes, "stat after the death")
    yield Finding(
        _says(fault, name),
        (
            Fact("mapped file", fault.file, "/proc/PID/maps", private=True),
            *((length,) if fault.file_bytes is not None else ()),
            Fact(OFFSET_THAT_WAS_READ, fault.file_offset, "siginfo and /proc/PID/maps"),
            *evidence.crash.facts(),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.PROVEN if fault.past_the_file else Confidence.LIKELY,
        _remedies(fault, shlex.quote(name)),
        where=evidence.crash.line or evidence.run.busy,
    )


def _remedies(fault: FaultAddress, name: str) -> tuple[Remedy, ...]:
    """What can be done; nobody can type the name of a file that has none."""
    if fault.deleted:
        return (
            Remedy("Close the mapping before truncating the file, or map it again afterwards."),
            Remedy(
                "Look for `truncate` in the processes that have the file open: no other process can reach it."
            ),
        )
    return (
        Remedy(
            "Write a new file and rename it over the old one, instead of writing in place.",
            (f"mv {name}.new {name}",),
        ),
        Remedy("Find out who writes the file.", (f"lsof {name}",)),
    )


def _says(fault: FaultAddress, name: str) -> str:
    place = size(fault.file_offset)
    if fault.deleted:
        what = (
            f"A mapped file without a name ({name})"
            if UNNAMED.fullmatch(name)
            else f"The mapped file {name}, which had been deleted,"
        )
        return f"{what} ended before {place}, where the program read it (SIGBUS): it had been truncated."
    if fault.past_the_file:
        shortened = (
            f"was truncated to {size(fault.file_bytes or 0)} while the program was reading it"
        )
        return f"The mapped file {name} {shortened} at {place} (SIGBUS)."
    now = "it is gone now" if fault.file_bytes is None else f"it has {size(fault.file_bytes)} again"
    return (
        f"The mapped file {name} ended before {place}, where the program read it (SIGBUS); {now}."
    )
