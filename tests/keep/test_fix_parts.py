"""The parts of `outlive fix`: what a record knows of the start, the private copy, the comparison of two records, the file that is written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from made_evidence import evidence, group
from outlive.errors import UsageError
from outlive.inside.notes.masking import MASK
from outlive.keep.fix import private_copy as copies
from outlive.keep.fix.apply import apply
from outlive.keep.fix.outcome import Outcome, Tried, as_json
from outlive.keep.fix.private_copy import private_copy
from outlive.keep.fix.propose import Proposal, propose
from outlive.keep.fix.rehearse import Rehearsal
from outlive.keep.fix.start_again import Start, start_of
from outlive.keep.fix.user_files import UserFiles
from outlive.keep.fix.verify import MovedLine, verified
from outlive.model.events import Cell, Origin, Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Ending, EndingKind, Finding, Place, Verdict
from outlive.model.patch import Patch
from outlive.source.cells import read_cells

RECORD = {
    "command": ["/usr/bin/python3", "train.py", "--epochs", "3"],
    "folder": "/work",
    "environment": {"TF_DETERMINISTIC_OPS": "1", "XLA_FLAGS": f"--x={MASK}"},
    "limits": {"Max open files": [64, 4096], "Max cpu time": [None, None], "Max locked memory": [1, 1]},
}  # fmt: skip


def test_what_a_record_knows_of_the_start() -> None:
    start = start_of(RECORD, evidence("SIGKILL", facts={"memory limit": 900}))

    assert isinstance(start, Start)
    assert ("train.py", "--epochs", "3") == start.command[1:]
    assert {"TF_DETERMINISTIC_OPS": "1"} == start.variables
    assert ("XLA_FLAGS",) == start.unknown
    assert {"RLIMIT_NOFILE": (64, 4096), "RLIMIT_CPU": (None, None)} == start.limits
    assert 900 == start.memory_bytes


def test_what_was_hidden_cannot_be_started_again_but_can_be_given() -> None:
    hidden = {**RECORD, "command": ["python", "train.py", f"--key={MASK}"]}

    assert "hidden in the record" in str(start_of(hidden, evidence()))
    assert "which command" in str(start_of({}, evidence()))
    assert "folder" in str(start_of({"command": ["a"]}, evidence()))
    given = start_of(hidden, evidence(), ("python", "train.py", "--key=7"))
    assert isinstance(given, Start)
    assert "--key=7" == given.command[-1]


def test_small_files_are_copied_and_large_ones_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "LARGEST_COPIED_BYTES", 100)
    work = tmp_path / "work"
    for folder in ("data", ".git", "env"):
        (work / folder).mkdir(parents=True)
    (work / "env/pyvenv.cfg").write_text("")
    (work / "train.py").write_text("old")
    (work / "data/small.txt").write_text("1")
    (work / "data/large.bin").write_bytes(bytes(200))
    (work / "gone").symlink_to("nowhere")

    with private_copy([str(work), str(work / "data")]) as copy:
        assert 1 == len(copy.folders)
        here = Path(copy.path_of(str(work)) or "")
        assert copy.write(str(work / "train.py"), "new")
        (here / "data/small.txt").write_text("2")

        assert "new" == (here / "train.py").read_text()
        assert (here / "data/large.bin").is_symlink()
        assert (here / "env").is_symlink()
        assert (here / ".git").is_symlink()
        assert ("data/large.bin",) == tuple(name for name in copy.linked if "data" in name)
        assert str(here / "train.py") == copy.word(str(work / "train.py"))
        assert "train.py" == copy.word("train.py")
        assert f"{here}:lib" == copy.paths(f"{work}:lib")
        assert copy.path_of(str(tmp_path / "other.py")) is None
        assert not copy.write(str(tmp_path / "other.py"), "")

    assert "old" == (work / "train.py").read_text()
    assert "1" == (work / "data/small.txt").read_text()
    assert not here.exists()


def test_what_the_recorded_run_had_written_is_left_out(tmp_path: Path) -> None:
    for name, at in (("data/old.txt", 50), ("out/new.txt", 150), ("train.py", 150), ("log.txt", 250)):  # fmt: skip
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (at, at))
    for name, at in (("data", 150), ("out", 150)):
        os.utime(tmp_path / "work" / name, (at, at))

    with private_copy([str(tmp_path / "work")], (100.0, 200.0)) as copy:
        here = Path(copy.path_of(str(tmp_path / "work")) or "")
        found = {str(path.relative_to(here)) for path in here.rglob("*")}

    assert {"data", "data/old.txt", "train.py", "log.txt"} == found


PATCH = Patch("Do it.", ())
FINDING = Finding("It died.", (), Confidence.PROVEN, (), Place("a.py", 3), slug="shape-mismatch")
DIED = Verdict("run", Ending(EndingKind.EXIT, exit_code=1), (FINDING,))
PROPOSAL = Proposal("x", "shape-mismatch", Place("a.py", 3), PATCH, "/w/a.py", "a\nb\nc\nd\n", "a\nnew\nb\nc\nd\n")  # fmt: skip
START = Start(("python",), "/w", memory_bytes=1000, seconds=3.0, cpu_seconds=2.0)
LIVED = Rehearsal(None, None, None, 30.0, 9.0, 400, 400, 395, True)


def failed(line: int, kind: str = "ValueError") -> Evidence:
    frames = (Place("a.py", line, "<module>", "work()"),)
    return evidence(1, thrown=(Thrown(kind, "no", frames=frames, origin=Origin.MAIN),))


def died(slug: str, line: int) -> Rehearsal:
    again = replace(FINDING, slug=slug, where=Place("a.py", line))
    return Rehearsal(replace(DIED, findings=(again,)), failed(line), 1, 4.0, 2.0, 0, 0, 0, True)


@pytest.mark.parametrize(
    ("rehearsal", "yes", "says"),
    [
        (replace(LIVED, status=0), True, "ran to its end (status 0)"),
        (LIVED, True, "lived past the point of death"),
        (replace(LIVED, limited=False), True, "watched by Outlive"),
        (replace(LIVED, cpu_seconds=2.1), False, "not yet past the point of death"),
        (replace(LIVED, last_bytes=600, middle_bytes=400), False, "still rising"),
        (replace(LIVED, last_bytes=950, middle_bytes=950), False, "still rising"),
        (replace(LIVED, over=True), False, "used more than the limit"),
        (died("shape-mismatch", 4), False, "died of the same cause again"),
        (
            died("shape-mismatch", 5),
            True,
            "lived past the point of death; it then ended for another reason",
        ),
        (died("dtype-mismatch", 5), True, "it then ended for another reason"),
        (died("dtype-mismatch", 2), False, "it ended for another reason"),
        (
            replace(died("dtype-mismatch", 2), cpu_seconds=3.0),
            True,
            "it then ended for another reason",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_how_two_records_are_compared(rehearsal: Rehearsal, yes: bool, says: str) -> None:
    found = verified(PROPOSAL, DIED, failed(3), START, rehearsal)

    assert yes == found.yes
    assert says in found.says


def test_a_program_that_hung_has_to_end() -> None:
    found = verified(PROPOSAL, DIED, failed(3), replace(START, hung=True), LIVED)

    assert not found.yes


def test_a_program_that_ended_has_to_end_again() -> None:
    ended = replace(DIED, ending=Ending(EndingKind.SUCCESS, exit_code=0))

    assert not verified(PROPOSAL, ended, evidence(0), START, LIVED).yes


def test_an_error_that_was_lost_has_to_be_raised() -> None:
    lost = evidence(0, thrown=(Thrown("KeyError", "no", origin=Origin.FUTURE),))
    proposal = replace(PROPOSAL, patch=replace(PATCH, raises="the error"))
    raised = replace(died("uncaught-exception", 5), evidence=failed(5, "KeyError"))

    assert verified(proposal, DIED, lost, START, raised).yes
    assert not verified(proposal, DIED, lost, START, replace(LIVED, status=0)).yes


def test_lines_are_found_again_after_a_change() -> None:
    moved = MovedLine("a\nb\nc\n", "a\nnew\nb\nchanged\n")

    assert (1, 3) == (moved(1), moved(2))


def test_a_file_is_written_whole_and_the_old_one_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\r\n")
    os.chmod(path, 0o750)

    first = apply(str(path), "x = 1\r\n", "x = 2\r\n", force=False)
    second = apply(str(path), "x = 2\r\n", "x = 3\r\n", force=False)

    assert b"x = 3\r\n" == path.read_bytes()
    assert 0o750 == path.stat().st_mode & 0o777
    assert ["a.py.before-fix", "a.py.before-fix-2"] == [Path(it).name for it in (first, second)]
    with pytest.raises(UsageError, match="changed in the meantime"):
        apply(str(path), "x = 1\r\n", "", force=False)


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# hi"}, *made]}, indent=1) + "\n"  # fmt: skip


def test_a_cell_is_patched_in_its_notebook(tmp_path: Path) -> None:
    path = tmp_path / "study.ipynb"
    (tmp_path / "other.ipynb").write_text(notebook("print(1)"))
    path.write_text(notebook("%matplotlib inline\nimport numpy as np", "x = np.load('a.npy')\nprint(x)"))  # fmt: skip
    cell = Cell(2, "x = np.load('a.npy')\nprint(x)")
    known = evidence("SIGKILL", cells=(cell,))
    where = Place("In [2]", 1, "<module>", "x = np.load('a.npy')")
    finding = replace(FINDING, slug="memory-limit-reached", where=where)

    files = UserFiles(str(tmp_path), known, ())
    proposals = propose(replace(DIED, findings=(finding,)), known, files.text_of)

    assert ["array-mapped"] == [one.slug for one in proposals.found]
    one = proposals.found[0]
    assert str(path) == one.path
    assert "np.load('a.npy', mmap_mode=\"r\")" in read_cells(one.after).text
    assert "%matplotlib inline" in one.after
    assert "+x = np.load('a.npy', mmap_mode=\"r\")" in one.diff
    gone = Cell(2, "x = 7")
    elsewhere = UserFiles(str(tmp_path), evidence(cells=(gone,)), ())
    assert "was not found" in str(elsewhere.text_of(where))


def test_what_is_told_to_a_program() -> None:
    tried = (Tried(PROPOSAL, not_run="it was not run"),)
    told: dict[str, Any] = json.loads(as_json(Outcome("run", FINDING, tried)))

    assert "outlive.fix/1" == told["schema"]
    assert not told["patch"]["verified"]
    assert "not verified, because it was not run" == told["patch"]["because"]


def test_who_runs_out_of_memory_again_is_not_healed() -> None:
    """Another line of it, or another cause: the program is dead of the same want."""
    known: dict[str, Any] = {"groups": (group(limit=500, used=500, kills=(0, 1)),)}
    again = replace(DIED, findings=(replace(FINDING, slug="memory-limit-reached"),))
    later = Rehearsal(again, evidence("SIGKILL", **known), 137, 9.0, 9.0, 0, 0, 0, True)

    found = verified(PROPOSAL, DIED, evidence("SIGKILL", **known), START, later)

    assert not found.yes
    assert "ran out of memory again" in found.says


def test_an_exception_of_the_function_that_was_changed_may_be_the_patchs_own() -> None:
    """A file that is closed at once is no longer out of descriptors: the next line writes to it, and fails."""

    def failing(line: int, function: str) -> Evidence:
        frames = (Place("a.py", line, function, "work()"),)
        return evidence(1, thrown=(Thrown("ValueError", "no", frames=frames, origin=Origin.MAIN),))

    died_in_write = replace(
        DIED, findings=(replace(FINDING, where=Place("a.py", 3, "write")),)
    )  # fmt: skip
    before = evidence(1, thrown=(Thrown("OSError", "no", frames=(Place("a.py", 3, "write"),), origin=Origin.MAIN),))  # fmt: skip
    same = replace(died("uncaught-exception", 5), evidence=failing(5, "write"))
    other = replace(died("uncaught-exception", 9), evidence=failing(9, "report"))

    assert not verified(PROPOSAL, died_in_write, before, START, same).yes
    assert verified(PROPOSAL, died_in_write, before, START, other).yes
