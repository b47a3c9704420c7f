"""A file or folder that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import ENTRIES, elements_of
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.units.complaint_facts import complained, empty_search, facts_of_complaint, line_of
from outlive.units.complaints import Complaint
from outlive.units.unit import cause

DIGITS = re.compile(r"\d{1,18}")


@cause(
    "D404",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "FileNotFoundError: [Errno 2] No such file or directory",
        "NotFoundError: No such file or directory [Op:ReadFile]",
        "No files matched pattern",
        "NewRandomAccessFile failed to open",
    ),
)
def missing_file(evidence: Evidence) -> Iterator[Finding]:
    """A file or folder that the program wanted to read is not there, or a pattern matched no file.

    ## What happened
    The path is wrong, the program was started from another folder, a file of the list was moved, or a pattern like
    `images/*.jpg` found nothing and the empty list failed later with an unrelated message.

    ## How we know
    The error names the path (also when it came from a thread of tf.data). After the death the folder was read: how much of the path
    exists, and which names in it resemble the missing one.

    ## What to do
    Correct the path; start from the right folder, or build paths from `Path(__file__).parent`. Check a pattern's result before using it.
    """
    complaint = complained(evidence, "missing-file")
    if complaint is not None:
        yield Finding(
            _says(evidence, complaint),
            (*facts_of_complaint(evidence, complaint), *_facts(evidence, complaint)),
            evidence.errors.sure_of(complaint.thrown, seen=not _is_there(evidence, complaint)),
            _remedies(evidence, complaint),
            where=line_of(evidence, complaint),
        )
        return
    yield from _nothing_matched(evidence)


def _says(evidence: Evidence, complaint: Complaint) -> str:
    name = complaint.path.rstrip("/").rpartition("/")[2] or complaint.path
    look = evidence.inspection
    if complaint.variant == "program":
        return f"The program `{name}` is not installed or not on the PATH."
    if complaint.variant == "pattern":
        return f"The pattern `{name}` matched no file."
    if complaint.variant == "empty":
        return f"There are no usable files in the folder `{name}`."
    if not complaint.path:
        return f"A file is missing: {complaint.words}."
    where = look.exists.rstrip("/").rpartition("/")[2] or look.exists
    rest = complaint.path.rstrip("/")
    if look.files and look.exists and look.files[0].path.rstrip("/") != f"{look.exists}/{name}":
        missing = look.files[0].path[len(look.exists) :].strip("/").partition("/")[0]
        return f"`{name}` does not exist: the folder `{missing}` is missing in `{where}`."
    return f"There is no `{rest.rpartition('/')[2]}`" + (
        f" in the folder `{where}`." if where else "."
    )


def _facts(evidence: Evidence, complaint: Complaint) -> Iterator[Fact]:
    look, seen = evidence.inspection, "the folder, read after the death"
    if complaint.path:
        yield Fact("path", complaint.path, "the message", private=True)
    if look.exists:
        yield Fact("existing part of the path", look.exists, seen, private=True)
        yield Fact(ENTRIES, look.seen, seen)
    if look.similar:
        yield Fact("similar names", ", ".join(look.similar), seen, private=True)
    if evidence.scene.folder and not complaint.path.startswith("/"):
        yield Fact("working directory", evidence.scene.folder, "the program", private=True)


def _remedies(evidence: Evidence, complaint: Complaint) -> tuple[Remedy, ...]:
    found = []
    look = evidence.inspection
    meant = [name for name in look.similar if not _is_of_one_series(name, complaint.path)]
    if meant:
        found.append(Remedy(f"Did you mean `{meant[0]}`?"))
    elif look.similar:
        found.append(
            Remedy(
                f"The others of its series are there (such as `{look.similar[0]}`), this number is not: make or copy the file again, "
                "or take the names from the folder (sorted(Path(folder).glob(…))) instead of counting."
            )
        )
        return tuple(found)
    if complaint.variant == "program":
        found.append(Remedy("Install it, or give its full path."))
    elif complaint.path and not complaint.path.startswith("/"):
        found.append(
            Remedy(
                "Start the program from the right folder, or build the path from Path(__file__).parent."
            )
        )
    else:
        found.append(Remedy("Fix the path, or put the file there."))
    if _folder_is_missing(evidence):
        found.append(
            Remedy(
                "If it is to be written, create its folder first: Path(path).parent.mkdir(parents=True, exist_ok=True)."
            )
        )
    return tuple(found)


def _is_of_one_series(name: str, path: str) -> bool:
    """Tell whether two names differ in a number only: `shot_63.png` is another file than `shot_62.png`, not another spelling of it."""
    wanted = path.rstrip("/").rpartition("/")[2]
    same = DIGITS.sub("0", name) == DIGITS.sub("0", wanted)
    numbers = [[int(digits) for digits in DIGITS.findall(one)] for one in (name, wanted)]
    return same and name != wanted and numbers[0] != numbers[1]


def _folder_is_missing(evidence: Evidence) -> bool:
    files = evidence.inspection.files
    return bool(files) and files[0].path.rpartition("/")[0] != evidence.inspection.exists.rstrip(
        "/"
    )


def _nothing_matched(evidence: Evidence) -> Iterator[Finding]:
    """An empty list that a search for files had filled, in the frame of an error that an empty list leads to."""
    empty = empty_search(evidence)
    if empty is None:
        return
    error, held, made = empty
    yield Finding(
        f"The search for files found nothing: `{held.name}` is empty.",
        (
            Fact("exception", f"{error.type}: {error.message[:200]}", "the program"),
            Fact(elements_of(held.name), 0, "the program's variables"),
            Fact("filled at", f"{made}: {made.code}", "the program's source"),
            *(
                [Fact("working directory", evidence.scene.folder, "the program", private=True)]
                if evidence.scene.folder
                else []
            ),
        ),
        Confidence.LIKELY,
        (
            Remedy("Fix the pattern or the folder in this line, or the folder you start from."),
            Remedy(
                f"Check for it right away: if not {held.name}: raise FileNotFoundError(pattern)."
            ),
        ),
        where=made,
    )


def _is_there(evidence: Evidence, complaint: Complaint) -> bool:
    """Whether the file that is called missing was found after the death."""
    return any(
        file.bytes is not None and file.path.endswith(complaint.path or file.path)
        for file in evidence.inspection.files
    )
