"""What is loaded in the watched program: few modules, standard library only, every error seen once, and no harm when it breaks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from outlive.inside.memory import brake
from outlive.inside.notes.format import read_frames
from outlive.inside.notes.links import FOLDER_VARIABLE
from outlive.recorder.supervisor import INSIDE_PATH
from pythons import pythons

PROGRAMS = Path(__file__).parent.parent / "programs"
EVERY = sorted(pythons(), key=lambda version: int(version.partition(".")[2]))
OWN = "_outlive"

#: Of the standard library too, but in no list of it.
EXTRA = {"sitecustomize", "_interpreters", "_xxsubinterpreters"}

every_python = pytest.mark.parametrize("version", EVERY)


@dataclass(frozen=True)
class Ran:
    status: int
    stdout: str
    stderr: str
    notes: list[dict[str, Any]]
    folder: Path

    def errors(self, origin: str) -> list[dict[str, Any]]:
        return [
            it["error"] for it in self.notes if it["kind"] == "error" and it["origin"] == origin
        ]


def run(
    tmp_path: Path, *words: str, version: str = "", inside: str = INSIDE_PATH, **variables: str
) -> Ran:
    """Run a program of this folder with the recorder in it, without a supervisor."""
    folder = tmp_path / "rings"
    folder.mkdir(exist_ok=True)
    environment = os.environ | {"PYTHONPATH": inside, FOLDER_VARIABLE: str(folder)} | variables
    done = subprocess.run(
        [pythons()[version] if version else sys.executable, str(PROGRAMS / words[0]), *words[1:]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    notes = [
        frame.payload
        for path in sorted(folder.glob("*.ring"))
        for frame in read_frames(str(path))
        if frame.payload["kind"] != "stack"
    ]
    return Ran(done.returncode, done.stdout, done.stderr, notes, folder)


def bare(*words: str, version: str = "") -> subprocess.CompletedProcess[str]:
    kept = {
        name: it for name, it in os.environ.items() if name not in ("PYTHONPATH", FOLDER_VARIABLE)
    }
    return subprocess.run(
        [pythons()[version] if version else sys.executable, str(PROGRAMS / words[0]), *words[1:]],
        env=kept,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_python_that_must_work_is_tried() -> None:
    if os.environ.get("OUTLIVE_NO_SKIP"):
        assert {"3.9", "3.10", "3.11", "3.12", "3.13"} <= set(EVERY)
    assert EVERY


@every_python
def test_few_modules_are_loaded_in_the_program_and_none_but_of_the_standard_library(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "lists_modules.py", "wait", version=version)
    without = bare("lists_modules.py", version=version)

    assert (0, "", 0) == (ran.status, ran.stderr, without.returncode)
    for told, usual in zip(ran.stdout.splitlines()[:2], without.stdout.splitlines(), strict=False):
        added = set(told.split()) - set(usual.split())
        foreign = {name for name in added if not name.startswith(OWN)}
        roots = {name.partition(".")[0] for name in foreign}
        assert roots <= set(sys.stdlib_module_names) | EXTRA
        heavy = {"json", "typing", "re", "dataclasses", "inspect", "logging", "threading", "subprocess",
                 "collections", "enum", "traceback", "tempfile", "socket", "asyncio", "multiprocessing"}  # fmt: skip
        assert not roots & heavy
        assert len(foreign) <= 16, foreign
        assert "outlive" not in roots


@every_python
def test_the_path_of_the_program_is_what_it_would_have_been(version: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "lists_modules.py", version=version)
    without = bare("lists_modules.py", version=version)

    assert without.stdout.splitlines()[2] == ran.stdout.splitlines()[2]


@every_python
def test_a_process_introduces_itself_and_says_when_it_leaves(version: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", "caught", version=version)

    kinds = [note["kind"] for note in ran.notes]
    assert ("process", "leaving") == (kinds[0], kinds[-1])
    assert ran.notes[0]["python"].startswith(version)
    assert [] == ran.errors("main")


@every_python
def test_an_exception_that_ends_the_program_is_told_with_its_way(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "main", version=version)

    (error,) = ran.errors("main")
    assert 1 == ran.status
    assert bare("throws.py", "main", version=version).stderr == ran.stderr
    assert ("Wrong", "no", ["Exception", "BaseException"]) == (
        error["type"], error["message"], error["bases"]
    )  # fmt: skip
    assert ["fail", "main", "<module>"] == [function for _, _, function in error["frames"]]
    assert [16, 20] == [line for _, line, _ in error["frames"][:2]]


@every_python
@pytest.mark.parametrize(
    ("way", "origin", "message"),
    [("thread", "thread", "no"), ("fork", "worker", "worker"), ("spawn", "worker", "worker")],
)
def test_an_exception_that_nobody_sees_is_told(
    version: str, way: str, origin: str, message: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", way, version=version)

    (error,) = ran.errors(origin)
    assert 0 == ran.status
    assert error["type"].endswith("Wrong")
    assert message == error["message"]
    assert "fail" == error["frames"][0][2]
    names = {"thread": "loader", "worker": "W1"}
    (thread,) = [it["thread"] for it in ran.notes if it["kind"] == "error"]
    assert names[origin] == thread


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_the_end_of_a_worker_is_told_by_its_parent(way: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", way)

    (child,) = [note for note in ran.notes if note["kind"] == "child"]
    assert (1, "W1", False) == (child["code"], child["name"], child["asked"])
    assert str(PROGRAMS / "throws.py") in [file for file, _, _ in child["frames"]]
    assert 2 <= len(list(ran.folder.glob("*.ring"))), "each process has a file of its own"
    worker = [note["pid"] for note in ran.notes if note["kind"] == "error"]
    assert [child["child"]] == worker


@every_python
def test_every_exception_in_a_future_is_told_though_their_memory_is_used_again(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "future", version=version)

    assert [f"future {number}" for number in range(4)] == [
        error["message"] for error in ran.errors("future")
    ]


def test_the_exception_that_ends_the_program_is_told_after_any_number_of_others(
    tmp_path: Path,
) -> None:
    ran = run(tmp_path, "throws.py", "many_and_main")

    assert ["the last"] == [error["message"] for error in ran.errors("main")]
    assert 0 < len(ran.errors("future")) < 100


def test_of_many_errors_the_first_and_the_last_are_told(tmp_path: Path) -> None:
    told = [
        error["message"] for error in run(tmp_path, "throws.py", "many_slowly").errors("future")
    ]

    assert [f"future {number}" for number in range(60)] == told[:60]
    assert "future after a while" == told[-1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups came with 3.11")
def test_the_members_of_a_group_are_told(tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "grouped").errors("main")

    assert ["Wrong: no labels", "KeyError: 'weights'"] == error["members"]


@pytest.mark.parametrize("way", ["chained", "during"])
def test_what_led_to_an_exception_is_told_with_it(way: str, tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", way).errors("main")

    assert ("RuntimeError", "second") == (error["type"], error["message"])
    assert ("Wrong", "first") == (error["cause"]["type"], error["cause"]["message"])


def test_a_cause_that_the_program_hides_is_not_told(tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "hidden").errors("main")

    assert "cause" not in error


@pytest.mark.parametrize(
    "version", [version for version in EVERY if version not in ("3.9", "3.10")]
)
def test_notes_on_an_exception_are_told(version: str, tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "noted", version=version).errors("main")

    assert ["look at the labels"] == error["notes"]


@every_python
def test_a_syntax_error_is_told_at_its_own_line(version: str, tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "syntax", version=version).errors("main")

    assert ["/somewhere/config.py", 2, ""] == error["frames"][0]
    assert "SyntaxError" == error["type"]


def test_an_exception_whose_words_fail_is_told_without_them(tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "silent").errors("main")

    assert "<exception str() failed>" == error["message"]  # as Python says it


@every_python
def test_words_that_the_program_makes_are_those_that_python_has_shown(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "spoken", version=version)

    (error,) = ran.errors("main")
    assert ("number 2", "number 1") == (error["message"], error["cause"]["message"])
    assert ["number 4"] == [it["message"] for it in ran.errors("thread")]
    assert ["3"] == [it["message"] for it in ran.errors("future")]  # nobody has shown it


@pytest.fixture
def recorder_without_library(tmp_path: Path) -> str:
    """A copy of the recorder as it is installed where nothing can be compiled."""
    inside = tmp_path / "inside"
    left_out = shutil.ignore_patterns("*.pyc", "*.so")
    shutil.copytree(Path(INSIDE_PATH).parent.parent, inside, ignore=left_out)
    return str(inside / "start" / "path")


@every_python
def test_without_the_c_library_functions_still_bind_to_no_class(
    version: str, recorder_without_library: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "ends_by_methods.py", version=version, inside=recorder_without_library)

    without = bare("ends_by_methods.py", version=version)
    assert (9, without.stdout) == (without.returncode, ran.stdout)
    assert (9, without.stderr) == (ran.status, ran.stderr)
    assert {"quit", "kill", "timer"} <= {it["kind"] for it in ran.notes}
    assert [] == [it for it in ran.notes if it["kind"] == "error"]


def test_a_long_message_keeps_its_ends(tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "long").errors("main")

    assert len(error["message"]) < 7000
    assert " … " in error["message"]


def test_a_deep_stack_keeps_its_ends(tmp_path: Path) -> None:
    (error,) = run(tmp_path, "throws.py", "deep").errors("main")

    functions = [function for _, _, function in error["frames"]]
    assert ("fail", "<module>") == (functions[0], functions[-1])
    assert 52 == len(functions)


SECRET = "correct-horse-battery"


@every_python
@pytest.mark.parametrize("where", ["variable", "argument"])
def test_a_secret_in_a_message_is_masked(version: str, where: str, tmp_path: Path) -> None:
    words = ["--password", SECRET] if where == "argument" else [SECRET]
    variables = {"DB_PASSWORD": SECRET} if where == "variable" else {}

    ran = run(tmp_path, "throws.py", "secret", *words, version=version, **variables)

    (error,) = ran.errors("main")
    assert SECRET in ran.stderr, "the program's own words are not changed"
    assert "***" in error["message"]
    for path in ran.folder.iterdir():
        if not path.name.endswith(".native"):  # its supervisor masks and removes it
            assert SECRET.encode() not in path.read_bytes(), path.name


def test_a_call_of_exit_is_told_with_its_line(tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", "system_exit")

    (told,) = [note for note in ran.notes if note["kind"] == "quit"]
    assert (1, "bye\n") == (ran.status, ran.stderr)
    assert ("sys.exit", "bye", "system_exit") == (told["call"], told["code"], told["frames"][0][2])
    assert [] == ran.errors("main")


@pytest.mark.parametrize("version", EVERY)
def test_an_end_without_cleanup_is_told_with_what_it_cuts_off(version: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", "cut_off", str(tmp_path), version=version, PYTHONUNBUFFERED="")

    (told,) = [note for note in ran.notes if note["kind"] == "quit"]
    lost = {Path(name).name: count for name, count in told["lost"]}
    assert {"text": 5, "umlaut": 2, "bytes": 4, "standard output": 6} == lost
    assert (0, "", "") == (ran.status, ran.stdout, ran.stderr)
    assert [b"", b"", b"", b"12"] == [
        (tmp_path / name).read_bytes() for name in ("text", "umlaut", "bytes", "flushed")
    ]


def test_a_thread_at_work_is_cut_off_and_one_that_waits_is_not(tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", "cut_off_threads")

    (told,) = [note for note in ran.notes if note["kind"] == "quit"]
    assert ["MainThread"] == [name for name, _ in told["threads"]]


@pytest.mark.parametrize("version", EVERY)
def test_an_error_that_the_program_shows_is_told_once_with_what_lay_around_it(
    version: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "shows", version=version)

    (told,) = [note for note in ran.notes if note["kind"] == "shown"]
    assert "Wrong" == told["error"]["type"]
    assert "data/a.jpg" in [value.get("path") for value in told["scene"]["values"]]
    assert bare("throws.py", "shows", version=version).stderr == ran.stderr


def test_the_files_of_a_process_are_private(tmp_path: Path) -> None:
    ran = run(tmp_path, "throws.py", "main")

    files = list(ran.folder.iterdir())
    assert files
    assert {0o600} == {path.stat().st_mode & 0o777 for path in files}


# --- when it breaks, the program must not notice


@pytest.fixture
def broken_recorder(tmp_path: Path) -> str:
    """A copy of the recorder that raises when it is loaded."""
    inside = tmp_path / "inside"
    shutil.copytree(Path(INSIDE_PATH).parent.parent, inside, ignore=shutil.ignore_patterns("*.pyc"))
    with open(inside / "agent.py", "a") as file:
        file.write("\nraise RuntimeError('the recorder is broken')\n")
    return str(inside / "start" / "path")


@every_python
def test_a_broken_recorder_leaves_a_confession_and_the_program_runs(
    version: str, broken_recorder: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "main", version=version, inside=broken_recorder)

    without = bare("throws.py", "main", version=version)
    assert (without.returncode, without.stdout, without.stderr) == (
        ran.status, ran.stdout, ran.stderr
    )  # fmt: skip
    (confession,) = ran.folder.glob("*.failed")
    assert "RuntimeError: the recorder is broken" == confession.read_text()
    assert 0o600 == confession.stat().st_mode & 0o777


@every_python
@pytest.mark.parametrize("folder", ["", "/nonexistent/rings", "/dev/null"])
def test_without_a_folder_to_write_to_the_program_runs(
    version: str, folder: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, "throws.py", "main", version=version, **{FOLDER_VARIABLE: folder})

    assert bare("throws.py", "main", version=version).stderr == ran.stderr
    assert [] == list(ran.folder.iterdir())


def test_a_users_own_sitecustomize_is_still_reached(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("print('mine was here')\n")

    ran = run(tmp_path, "throws.py", "caught", inside=f"{INSIDE_PATH}{os.pathsep}{mine}")

    assert (0, "mine was here\n", "") == (ran.status, ran.stdout, ran.stderr)
    assert "leaving" in [note["kind"] for note in ran.notes]


def test_a_users_own_sitecustomize_that_fails_fails_as_before(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("import no_such_module\n")

    ran = run(tmp_path, "throws.py", "caught", inside=f"{INSIDE_PATH}{os.pathsep}{mine}")

    assert 0 == ran.status
    assert "no_such_module" in ran.stderr


@pytest.mark.parametrize("option", ["-I", "-S", "-E"])
def test_a_python_that_looks_at_nothing_runs_without_a_recorder(
    option: str, tmp_path: Path
) -> None:
    folder = tmp_path / "rings"
    folder.mkdir()

    done = subprocess.run(
        [sys.executable, option, "-c", "print('fine')"],
        env=os.environ | {"PYTHONPATH": INSIDE_PATH, FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (0, "fine\n", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("old", ["2.7.18", "3.6.15", "3.8.18"])
def test_a_python_that_is_too_old_runs_without_a_recorder(old: str, tmp_path: Path) -> None:
    python = Path.home() / ".pyenv" / "versions" / old / "bin" / "python"
    if not python.exists():
        pytest.skip(f"Python {old} is not installed here")
    folder = tmp_path / "rings"
    folder.mkdir()

    done = subprocess.run(
        [python, "-c", "print('fine')"],
        env=os.environ | {"PYTHONPATH": INSIDE_PATH, FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (0, "fine\n", "") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(folder.iterdir())


def test_what_deals_with_a_refused_request_is_not_stopped_as_well_unless_it_fills_memory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = brake.Brake(str(tmp_path), lambda file: True, lambda *words: None)
    monkeypatch.setattr(made, "_main", threading.get_ident())
    monkeypatch.setattr(made, "_ease", lambda: None)

    def is_stopped() -> bool:
        monkeypatch.setattr(made, "_wanted", (460, 500))
        try:
            made._stop(0, sys._getframe())
        except brake.MemoryBrake:
            return True
        return False

    try:
        raise MemoryError
    except MemoryError:
        # The first signal was under way when the request was refused; at the second, memory has grown by another step.
        assert [False, True] == [is_stopped(), is_stopped()]
    try:
        raise ValueError
    except ValueError:
        assert is_stopped()


def test_a_stop_of_the_brake_is_written_down_once_by_the_thread_that_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[tuple[str, int]] = []
    made = brake.Brake(str(tmp_path), bool, lambda kind, stops: notes.append((kind, stops)))
    monkeypatch.setattr(made, "_main", 1)
    made.consider(0)
    assert [] == notes

    monkeypatch.setattr(made, "_stops", 1)
    made.consider(0)
    made.consider(0)

    assert [("brake", 1)] == notes


@every_python
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.timeout(60)  # each turn that is lost to one who computes comes back after 5 s
def test_whoever_computes_stands_still_and_gives_the_turn_back(
    threads: str, version: str, tmp_path: Path
) -> None:
    done = run(tmp_path, "standing_still.py", threads, version=version)

    assert int(done.stdout) >= 18, "a machine that stops us in the one moment that counts is rare"
