"""The program may have no more files open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.surroundings_at_death import OpenFiles
from outlive.units.unit import cause

TOO_MANY = re.compile(r"Too many open files")
ENFILE, EMFILE = 23, 24

#: Of the limit: the last few may be needed by the library that failed, or lie between two samples.
NEARLY_ALL = 0.9

COULD_NOT_OPEN = "The program could not open another file"


@cause(
    "D605",
    since="0.2",
    behind=("uncaught-exception", "exited-by-program", "crashed-at-exit"),
    searched=(
        "OSError: [Errno 24] Too many open files",
        "ResourceExhaustedError: Too many open files",
        "ulimit -n python",
    ),
)
def too_many_open_files(evidence: Evidence) -> Iterator[Finding]:
    """The program reached its limit on open files and could not open another one.

    ## What happened
    Every open file, socket and pipe takes a descriptor, and a process may have only a limited number (`ulimit -n`, often 1024). Files that
    are opened in a loop and kept, readers and writers that are never closed, or a pool of workers with its pipes use them up; then
    even an `import` fails.

    ## How we know
    The exception that ended the program says so. When it was written down, the open descriptors were counted by what they lead to,
    and the program's own lists and dictionaries were searched for one that keeps them.

    ## What to do
    Close each file when it has been read (`with open(…) as file:`). If many files must be open at once, raise the limit
    in the shell that starts the program.
    """
    found = evidence.errors.like(TOO_MANY, EMFILE, ENFILE)
    if found is None:
        return
    error, sure = found
    refused = Fact("refused", error.words, "exception")
    if error.errno == ENFILE:
        yield _of_the_machine(evidence, error, sure, refused)
        return
    where = evidence.errors.line_of(error)
    files = evidence.circumstances.files
    close = Remedy("Close each file when you are done with it: `with open(…) as file:`.")
    if files is None:
        doubted = min(sure, Confidence.LIKELY)
        yield Finding(f"{COULD_NOT_OPEN}.", (refused,), doubted, (close,), where=where)
        return
    keeper = files.keeper
    if keeper and keeper.opened is not None and not files.are_like(error.file or error.message):
        where = keeper.opened
    # Of an error that Python itself raised the kernel has counted; files that are closed as it passes are gone when we count.
    met = not error.raised_by_program or _limit_met(evidence, files)
    yield Finding(
        f"{_state_of(files, met)}.",
        (refused, *_facts_of(files)),
        sure if met else min(sure, Confidence.LIKELY),
        (close, *_raised_limit(files)),
        where=where,
    )


def _of_the_machine(evidence: Evidence, error: Thrown, sure: Confidence, refused: Fact) -> Finding:
    """Say that all programs of the machine together have too many files open."""
    counts = evidence.circumstances.machine_files
    many = f" ({counts[0]} of {counts[1]})" if counts else ""
    return Finding(
        f"The machine has reached its limit of open files{many}.",
        (refused,),
        sure,
        (
            Remedy(
                "Find the process that holds them.",
                (
                    "sysctl fs.file-nr",
                    "lsof -n | awk '{print $2, $1}' | sort | uniq -c | sort -rn | head",
                ),
            ),
        ),
        where=evidence.errors.line_of(error),
    )


def _state_of(files: OpenFiles, met: bool) -> str:
    """Say how many descriptors are open, and what holds them."""
    says = COULD_NOT_OPEN
    if files.limit is not None and files.count >= files.limit * NEARLY_ALL:
        says = f"The program has all of its {files.limit} descriptors open"
        says += "".join(f", {count} of them {what}" for what, count in files.groups[:1])
    elif files.limit is not None and met:
        says += f": its limit is {files.limit} descriptors, and it has closed some since"
    elif files.limit is not None:
        says += f", it says; but only {files.count} of the {files.limit} descriptors it may have were open"
    return says + (f"; {files.keeper.name} holds {files.keeper.length}" if files.keeper else "")


def _facts_of(files: OpenFiles) -> Iterator[Fact]:
    """List what the descriptors lead to, and the container that keeps them."""
    source = "/proc/self/fd when it failed"
    yield Fact("descriptors", f"{files.count} of {files.limit}", source)
    for what, count in files.groups[:4]:
        yield Fact("paths", f"{what}: {count}", "/proc/self/fd")
    keeper = files.keeper
    if keeper is not None:
        kept = f"{keeper.name}: {keeper.length} {keeper.holds}"
        yield Fact("kept in", kept, "the program's own names")


def _raised_limit(files: OpenFiles) -> Iterator[Remedy]:
    """Offer a higher limit, where the hard one allows it."""
    if files.limit is not None and files.hard is not None and files.hard > files.limit:
        yield Remedy(
            "If this many must be open at once, raise the limit in the shell first.",
            (f"ulimit -n {min(files.hard, 65536)}",),
        )


def _limit_met(evidence: Evidence, files: OpenFiles) -> bool:
    """Whether about as many were open as may be, when it failed or when the program was last looked at."""
    sampled = max((sample.open_files or 0 for sample in evidence.run.samples[-3:]), default=0)
    return files.limit is None or max(files.count, sampled) >= NEARLY_ALL * files.limit
