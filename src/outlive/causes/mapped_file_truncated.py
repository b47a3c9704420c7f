"""A mapped file that became shorter."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.crash_site import FaultAddress
from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import cause


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
    `np.memmap`, `mmap` and many readers of data sets look into a file without reading it. When another process writes the file anew in
    place (`open(path, "wb")`, `cp`, `rsync --inplace`), the pages past its end are gone at once, and touching one ends the process with
    SIGBUS ("Bus error").

    ## How we know
    The process ended by SIGBUS at an address that belongs to the mapping of a file, at a place that the file no longer has. Where the file
    has that place again, because whoever emptied it has written it anew, or was removed since, it is likely and not proven: a disk that
    failed or was full leaves the same trace.

    ## What to do
    Whoever writes the file should write a new one beside it and rename it: readers then keep the old one until they are done.
    """
    site = evidence.site
    fault = site.fault if site is not None else None
    if site is None or fault is None or fault.kind != "file" or not evidence.faulted("SIGBUS"):
        return
    if not fault.past_the_file and site.mount_free_bytes is not None:
        return  # in memory: its file system may have been full
    name = fault.file.rpartition("/")[2]
    length = Fact("length of the file", fault.file_bytes, "stat after the death")
    yield Finding(
        _says(fault, name),
        (
            Fact("mapped file", fault.file, "/proc/PID/maps", private=True),
            *((length,) if fault.file_bytes is not None else ()),
            Fact("place that was read", fault.file_offset, "siginfo and /proc/PID/maps"),
            *evidence.facts_of_crash(),
            *evidence.because("run time"),
        ),
        Confidence.PROVEN if fault.past_the_file else Confidence.LIKELY,
        (
            Remedy(
                "Write a new file and rename it over the old one, instead of writing in place.",
                (f"mv {name}.new {name}",),
            ),
            Remedy("Find who writes the file.", (f"lsof {name}",)),
        ),
        where=evidence.crash_line or evidence.busy,
    )


def _says(fault: FaultAddress, name: str) -> str:
    place = size(fault.file_offset)
    if fault.past_the_file:
        shortened = f"was shortened to {size(fault.file_bytes or 0)} while the program read it"
        return f"The mapped file {name} {shortened} at {place} (SIGBUS)."
    now = "it is gone now" if fault.file_bytes is None else f"it has {size(fault.file_bytes)} again"
    return f"The mapped file {name} had nothing at {place} when the program read it there (SIGBUS); {now}."
