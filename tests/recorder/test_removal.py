"""No folder and no file that Outlive did not make is ever removed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive
from outlive.data.atomic_file import replacing
from outlive.inside.machine.host import Host
from outlive.inside.notes.format import MARKER
from outlive.inside.tfdata.cache_files import (
    MARK_NAME,
    PREFIX,
    remove_left_behind,
    where_processes_are_counted,
)
from outlive.recorder.store import removal, run_folders

SOURCE = Path(outlive.__file__).parent


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "project"))
    return tmp_path / "project" / "runs"


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def make_foreign(runs_folder: Path) -> None:
    """What TensorBoard and Ultralytics leave in a folder called runs, and worse."""
    for name in ("train/exp1", "detect", "Nov18_03-50-01_host", "20260101-120000-abcd"):
        (runs_folder / name).mkdir(parents=True)
    (runs_folder / "train" / "exp1" / "best.pt").write_bytes(b"weights" * 100_000)
    (runs_folder / "20260101-120000-abcd" / "events.out").write_text("of the same shape as ours")
    (runs_folder / "20260102-120000-abcd").mkdir()
    (runs_folder / "20260102-120000-abcd" / "supervisor.log").write_text("of somebody else's")
    for number in range(120):
        (runs_folder / f"exp{number}").mkdir()


@pytest.mark.death
def test_a_run_leaves_the_users_own_results_alone(home: Path) -> None:
    make_foreign(home)
    os.truncate(home / "train" / "exp1" / "best.pt", 600_000_000)
    with open(home / "train" / "exp1" / "best.pt", "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 600_000_000)
    before = tree(home)

    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "outlive", "run", "--", "true"], timeout=60, check=False
        )
        assert 0 == done.returncode

    assert before <= tree(home)
    assert 2 == len(run_folders.list_runs()) - 2, "two of the foreign ones are named as ours are"


@pytest.mark.death
def test_the_command_that_prunes_leaves_the_users_own_results_alone(home: Path) -> None:
    make_foreign(home)
    folder, _ = run_folders.new_run(Host())
    before = tree(home)

    done = subprocess.run(
        [sys.executable, "-m", "outlive", "runs", "prune", "--keep", "0", "--yes"],
        timeout=60,
        check=False,
        capture_output=True,
    )

    assert 0 == done.returncode
    assert before - tree(home) == {
        os.path.join(os.path.basename(folder), name)
        for name in ("", "rings", "rings/python", run_folders.MARK_NAME)
    } - {os.path.join(os.path.basename(folder), "")} | {os.path.basename(folder)}


def test_limits_count_only_runs_of_ours(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "KEEP_RUNS", 2)
    make_foreign(home)
    mine = [run_folders.new_run(Host())[0] for _ in range(3)]
    for folder in mine:
        run_folders.write_private(os.path.join(folder, run_folders.SEALED_NAME), b"")

    removal.prune(os.path.basename(mine[-1]))

    assert [False, True, True] == [os.path.isdir(folder) for folder in mine]


@pytest.mark.parametrize("mark", ["mark", "log", "nothing", "other log", "log is a folder"])
def test_a_run_is_removed_by_its_shape_and_its_mark(home: Path, mark: str) -> None:
    folder = home / "20260101-120000-00abc12"
    folder.mkdir(parents=True)
    if mark == "mark":
        (folder / run_folders.MARK_NAME).touch()
    elif mark == "log is a folder":
        (folder / run_folders.LOG_NAME).mkdir()
    elif mark != "nothing":
        (folder / run_folders.LOG_NAME).write_bytes(MARKER if mark == "log" else b"words")

    gone = removal.remove_run(str(folder))

    assert (mark in ("mark", "log")) == gone == (not folder.exists())


@pytest.mark.parametrize(
    "name", ["train", "20260101", "20260101-1200-abcd", "a0260101-120000-abcd"]
)
def test_another_name_is_not_a_run(home: Path, name: str) -> None:
    folder = home / name
    folder.mkdir(parents=True)
    (folder / run_folders.MARK_NAME).touch()

    assert not removal.remove_run(str(folder))
    assert (folder / run_folders.MARK_NAME).exists()


@pytest.mark.parametrize(
    "own",
    [
        "notes.md",
        "weights/",
        "rings.bak/",
        "rings/weights/best.pt",
        "rings/best.pt",
        "rings/2026-11-18.csv",
        "rings/kernel-1/best.pt",
        "rings/kernel-1/rings/best.pt",
    ],
)
def test_a_run_with_something_of_the_users_in_it_stays_whole(home: Path, own: str) -> None:
    folder = Path(run_folders.new_run(Host())[0])
    path = folder / own
    path.parent.mkdir(exist_ok=True, parents=True)
    path.mkdir() if own.endswith("/") else path.write_text("mine")
    before = tree(folder)

    assert not removal.remove_run(str(folder))
    assert before == tree(folder)


def test_a_run_with_all_that_we_put_into_it_is_removed(home: Path) -> None:
    folder = Path(run_folders.new_run(Host())[0])
    kernel = folder / "rings" / f"{run_folders.KERNEL_PREFIX}1"
    (kernel / "rings").mkdir(parents=True)
    (kernel / run_folders.LOG_NAME).touch()
    for ending in ("ring", "shim", "native", "fault", "cells", "failed"):
        (folder / "rings" / f"17.{ending}").touch()
        (kernel / "rings" / f"17-4711.{ending}").touch()

    assert removal.remove_run(str(folder))


def test_a_link_in_place_of_a_run_is_not_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "20260101-120000-abcd"
    outside.mkdir()
    (outside / run_folders.MARK_NAME).touch()
    home.mkdir(parents=True)
    (home / "20260101-120000-abcd").symlink_to(outside)

    assert not removal.remove_run(str(home / "20260101-120000-abcd"))
    assert (outside / run_folders.MARK_NAME).exists()


def test_rings_that_are_a_link_are_not_entered(home: Path, tmp_path: Path) -> None:
    folder = Path(run_folders.new_run(Host())[0])
    (folder / "rings" / "python").unlink()
    (folder / "rings").rmdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1-1.ring").touch()
    (folder / "rings").symlink_to(outside)

    removal.remove_run(str(folder))

    assert (outside / "1-1.ring").exists()


@pytest.mark.parametrize("theirs", ["no mark", "elsewhere", "with files", "ours"])
def test_a_cache_that_was_left_behind_is_removed_only_if_it_is_ours(
    tmp_path: Path, theirs: str
) -> None:
    folder = tmp_path / f"{PREFIX}4194305-abcdef"  # above the largest number of a process
    folder.mkdir()
    (folder / "cache1.index").touch()
    if theirs == "with files":
        (folder / "mine.txt").touch()
    if theirs != "no mark":
        where = "another machine" if theirs == "elsewhere" else where_processes_are_counted()
        (folder / MARK_NAME).symlink_to(where)

    remove_left_behind(str(tmp_path))

    assert (theirs != "ours") == folder.exists()
    assert (theirs in ("no mark", "elsewhere")) == (folder / "cache1.index").exists()
    assert (theirs == "with files") == (folder / "mine.txt").exists()


def test_writing_a_file_whole_touches_no_other(tmp_path: Path) -> None:
    (tmp_path / "results.csv.new").write_text("mine")

    with replacing(str(tmp_path / "results.csv")) as fresh:
        Path(fresh).write_text("new")
    with pytest.raises(ValueError, match="half"), replacing(str(tmp_path / "results.csv")):
        raise ValueError("half of it")

    assert {"results.csv": "new", "results.csv.new": "mine"} == {
        path.name: path.read_text() for path in tmp_path.iterdir()
    }


#: Every place that removes, or moves something over something else, and why what it removes is ours.
REMOVES = {
    "detection/models/shrink.py": "a folder that it has just made with mkdtemp; the model that the user asked to have written",
    "jupyter/before.py": "a link with a name of ours in our home",
    "jupyter/enabling.py": "files by the names that it writes itself, and folders of ours that are empty",
    "recorder/worker_cgroup.py": "an empty cgroup that it made, or one of its shape whose process is gone",
    "inside/tfdata/cache_files.py": "files of caches in a folder with our mark",
    "keep/fix/private_copy.py": "a file of the copy that it has just made in a temporary folder",
    "keep/skip/quarantine.py": "the empty file that it has just made",
    "keep/pressure/remembered_sizes.py": "a file of ours in our home",
    "data/atomic_file.py": "the new file that it has just made; the file that was asked for",
    "recorder/store/seal.py": "files of processes in the folder of rings that this run made",
    "inside/events/cells.py": "the file that it has just made",
    "inside/notes/journal.py": "the file that it made for this process",
    "inside/start/real.py": "nothing: it keeps the function for journal.py",
    "jobs/leases/storage.py": "files of leases and what their writers left unfinished, by names of ours, in the folder of the job",
    "data/addresses.py": "nothing: a folder that it has just fetched gets its name",
    "jobs/ray/parcel.py": "the folder that it has just unpacked, under a name of its own",
    "source/lint/oracle.py": "the answers of TensorFlow that it keeps below OUTLIVE_HOME",
    "recorder/signals/kill_trace.py": "an instance of tracefs by its shape, of this supervisor or of one that is gone",
    "recorder/store/removal.py": "runs by shape and mark, see there",
    "recorder/store/run_folders.py": "a link with a name of ours in the folder of a run",
    "recorder/store/shim_notes.py": "the file of a process in the folder of rings, once its masked copy is written",
    "recorder/store/unpacking.py": "files of an archive that it unpacked, in a temporary folder with our mark that no process holds",
    "report/fleet/table.py": "an index of ours in our home, over the one before",
    "cli/run_program/conclude.py": "a verdict that judging was cut off in, in the folder of the run",
    "cli/run_program/hang.py": "the verdict of a hang that is over, in the folder of the run",
    "data/scan/mend.py": "the new file that it has just made; a picture is only renamed, to a free name",
    "data/scan/command.py": "nothing: what the user asked to have moved goes to a free name, and is noted first",
    "pytest_plugin/afterwards.py": "the journal that the plugin made",
    "pytest_plugin/plugin.py": "the journal that it made",
}  # fmt: skip

CALLS = {"unlink", "rmdir", "rmtree", "removedirs", "rename", "renames", "replace", "move", "truncate"}  # fmt: skip


def removing_calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if owner in ("os", "shutil") and node.attr in {*CALLS, "remove"}:
            yield f"{owner}.{node.attr}"
        elif owner not in ("os", "shutil") and node.attr in ("unlink", "rmdir", "rmtree"):
            yield f"….{node.attr}"


def test_every_place_that_removes_something_says_why_it_is_ours() -> None:
    found = {
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if list(removing_calls(path))
    }

    assert set(REMOVES) == found


def test_only_a_folder_of_its_own_making_is_removed_with_all_that_is_in_it() -> None:
    whole = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(call.endswith("rmtree") for call in removing_calls(path))
    }

    assert {"detection/models/shrink.py", "jobs/ray/parcel.py"} == whole


def test_the_ranks_of_a_job_that_is_ending_are_kept_however_many_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path))
    monkeypatch.setattr(removal, "KEEP_RUNS", 2)
    names = [f"20260101-0000{number:02d}-aaaa" for number in range(6)]
    for number, name in enumerate(names):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / run_folders.MARK_NAME).touch()
        (folder / run_folders.SEALED_NAME).touch()
        (folder / run_folders.JOB_NAME).symlink_to("mine" if number != 1 else "other")

    removal.prune(names[-1])

    assert [name for number, name in enumerate(names) if number != 1] == run_folders.home_runs()
