"""The program may have no more files open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause

TOO_MANY = re.compile(r"Too many open files")
ENFILE, EMFILE = 23, 24

#: A limit that is far below what systems give nowadays is worth raising.
USUAL_LIMIT = 1024


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
    """The program had as many files open as it may have, and could open no further one.

    ## What happened
    Every open file, socket and pipe takes a descriptor, and a process may have only so many (`ulimit -n`, often 1024). Files that
    are opened in a loop and kept, readers and writers that are never closed, or a pool of workers with its pipes use them up; then
    even an `import` fails.

    ## How we know
    The exception that ended the program says so. When it was written down, the open descriptors were counted by what they lead to,
    and the program's own lists and dictionaries were searched for one that keeps them.

    ## What to do
    Close each file when it has been read (`with open(…) as file:`). Where many must be open at once, raise the limit in the
    shell that starts the program.
    """
    found = evidence.error_like(TOO_MANY, EMFILE, ENFILE)
    if found is None:
        return
    error, sure = found
    facts = [Fact("refused", error.words, "exception")]
    if error.errno == ENFILE:
        machine = evidence.circumstances.machine_files
        many = f" ({machine[0]} of {machine[1]})" if machine else ""
        yield Finding(
            f"The whole machine has as many files open as it may have{many}.",
            tuple(facts),
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
            where=evidence.line_of(error),
        )
        return
    where = evidence.line_of(error)
    says = "The program could open no further file"
    remedies = [Remedy("Close each file when it is done with: `with open(…) as file:`.")]
    files = evidence.circumstances.files
    if files is not None:
        keeper = files.keeper
        facts.append(
            Fact("descriptors", f"{files.count} of {files.limit}", "/proc/self/fd when it failed")
        )
        facts += [
            Fact("lead to", f"{what}: {count}", "/proc/self/fd") for what, count in files.groups[:4]
        ]
        if files.limit is not None and files.count >= files.limit * 0.9:
            says = f"The program has all of its {files.limit} descriptors open"
            says += "".join(f", {count} of them {what}" for what, count in files.groups[:1])
        elif files.limit is not None:
            says += f": it may have {files.limit} descriptors, and has closed some since"
        if keeper is not None:
            says += f"; {keeper.name} keeps {keeper.length}"
            facts.append(
                Fact(
                    "kept in",
                    f"{keeper.name}: {keeper.length} {keeper.holds}",
                    "the program's own names",
                )
            )
            if keeper.opened is not None and not files.are_like(error.file or error.message):
                where = keeper.opened
        if files.limit is not None and files.hard is not None and files.hard > files.limit:
            remedies.append(
                Remedy(
                    "If so many must be open at once, raise the limit in the shell first.",
                    (f"ulimit -n {min(files.hard, 65536)}",),
                )
            )
    yield Finding(
        f"{says}.",
        tuple(facts),
        sure if files is not None else min(sure, Confidence.LIKELY),
        tuple(remedies),
        where=where,
    )
