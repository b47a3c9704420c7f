"""Files that a stranger sends: they are read, and read nothing, write nothing and run nothing of his choice."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from conftest import Done, Outlive
from forged_records import BEGAN, FOLDER, PID, SOURCE, framed
from outlive.__main__ import main
from outlive.errors import RecordUnreadable
from outlive.recorder.store.archive import ABOUT_NAME, SCHEMA, run_folder
from outlive.recorder.store.unpacking import PREFIX, SECONDS_UNTIL_LOCKED
from outlive.recorder.store.users_files import beginning_of, is_foreign, judging, lines_of, text_of

EVIL = "<!doctype html><script>evil()</script>"
SECRET = "hunter2:of-this-machine"


def verdict(run: str = "r1", file: str = "train.py", code: str = "") -> dict[str, Any]:
    """A verdict as it is sent."""
    where = {"file": file, "line": 1, "function": "main", "code": code}
    cause = {"slug": "uncaught-exception", "confidence": "proven", "says": "It failed.", "where": where}  # fmt: skip
    return {
        "schema": "outlive.verdict/1",
        "run": run,
        "ending": {"kind": "exit", "signal": None, "exit_code": 1, "by": "itself", "detail": "x"},
        "cause": {**cause, "because": [], "remedies": []},
        "also": [],
        "gaps": {},
    }


def record(**fields: Any) -> bytes:
    """The log of a program that failed."""
    start = {"kind": "run", "pid": PID, "folder": FOLDER, "time": BEGAN, "command": ["python"]}
    return framed([{**start, **fields}, {"kind": "exit", "exit_code": 1, "signal": None}])


def ring(file: str, line: int = 1) -> bytes:
    """A process that raised an exception in a file."""
    error = {"type": "ValueError", "message": "words", "frames": [[file, line, "main"]]}
    process = {"kind": "process", "pid": PID, "time": BEGAN}
    return framed([process, {"kind": "error", "origin": "main", "pid": PID, "time": BEGAN, "error": error}])  # fmt: skip


def archive(target: Path, about: Any = None, **members: Any) -> Path:
    """A file like those that are sent; the names of its members have ``__`` for a slash."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr(ABOUT_NAME, json.dumps(about or {"schema": SCHEMA, "run": "r1"}))
        for name, content in members.items():
            data = content if isinstance(content, bytes | str) else json.dumps(content)
            box.writestr(name.replace("__", "/").replace("_", "."), data)
    return target


@pytest.fixture
def why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """`outlive why`, in this process, in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(opened.append(address)) or True)

    def ask(path: Path, *words: str) -> Done:
        capsys.readouterr()
        try:
            status = main(["why", str(path), *words])
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Done(status, *capsys.readouterr())

    ask.opened = opened  # type: ignore[attr-defined]
    return ask


@pytest.mark.parametrize("run", ["/ABSOLUTE/out", "../../out", "a/b", "out\n", "\x1b[31m"])
def test_the_name_of_a_run_is_never_a_path(tmp_path: Path, why: Any, run: str) -> None:
    name = run.replace("/ABSOLUTE", str(tmp_path))
    sent = archive(tmp_path / "a.zip", verdict_json=verdict(run=name), verdict_html=EVIL)

    done = why(sent, "--open")

    assert 3 == done.status
    assert "cannot be read" in done.stderr and "Traceback" not in done.stderr
    assert [] == why.opened
    assert not list(tmp_path.rglob("*.html"))


def test_the_page_of_a_shared_run_is_ours(tmp_path: Path, why: Any) -> None:
    sent = archive(tmp_path / "a.zip", verdict_json=verdict(), verdict_html=EVIL)

    done = why(sent, "--open")

    assert 1 == done.status, done.stderr
    (page,) = tmp_path.rglob("*.html")
    text = page.read_text()
    assert "evil()" not in text
    assert "Content-Security-Policy" in text and "It failed." in text
    assert page.is_relative_to(tmp_path / "tmp") and 0o700 == page.parent.stat().st_mode & 0o777
    assert [f"file://{page}"] == why.opened
    assert "evil()" not in why(sent, "--html", "-").stdout


def test_the_page_of_a_whole_run_goes_to_a_place_of_ours_too(tmp_path: Path, why: Any) -> None:
    about = {"schema": SCHEMA, "run": "index"}
    sent = archive(tmp_path / "a.zip", about, verdict_html=EVIL, record__supervisor_log=record())

    assert 0 <= why(sent, "--open").status <= 1

    (page,) = tmp_path.rglob("*.html")
    assert page.is_relative_to(tmp_path / "tmp") and "evil()" not in page.read_text()


def test_no_file_of_this_machine_is_shown(tmp_path: Path, why: Any) -> None:
    secret = tmp_path / "shadow.py"
    secret.write_text(f"{SECRET}\n" * 5)
    named = {"record__rings__4321-1_ring": ring(str(secret))}
    whole = archive(
        tmp_path / "whole.zip", record__supervisor_log=record(folder=str(tmp_path)), **named
    )
    told = archive(tmp_path / "told.zip", verdict_json=verdict(file=str(secret)))
    both = archive(
        tmp_path / "both.zip",
        verdict_json=verdict(file=str(secret)),
        record__supervisor_log=record(folder=str(tmp_path)),
    )

    for sent in (whole, told, both):
        for words in ((), ("--again",), ("--json",), ("--html", "-")):
            done = why(sent, *words)
            assert done.status in (0, 1), done.stderr
            assert SECRET not in done.stdout, (sent.name, words)


def test_a_foreign_record_leads_to_no_rings_of_this_machine(tmp_path: Path, why: Any) -> None:
    rings = tmp_path / "rings"
    rings.mkdir()
    (rings / f"{PID}-1.ring").write_bytes(ring("train.py"))
    sent = archive(tmp_path / "a.zip", record__supervisor_log=record(rings=str(rings)))

    assert "ValueError" not in why(sent, "--again").stdout


@pytest.mark.parametrize("device", ["/dev/zero", "fifo"])
def test_an_own_record_reads_regular_files_only(tmp_path: Path, why: Any, device: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    path = device if device.startswith("/") else str(tmp_path / device)
    folder = tmp_path / "run"
    (folder / "rings").mkdir(parents=True)
    (folder / "supervisor.log").write_bytes(record(folder=str(tmp_path)))
    (folder / "rings" / f"{PID}-1.ring").write_bytes(ring(path))

    for words in ((), ("--html", "-")):
        assert 1 == why(folder, *words).status


def test_a_pipe_in_a_run_folder_is_not_waited_for(tmp_path: Path, why: Any) -> None:
    folder = tmp_path / "run"
    (folder / "rings").mkdir(parents=True)
    (folder / "supervisor.log").write_bytes(record())
    for name in ("1-1.ring", "1.cells", "1.shim", "1.native", "1-1.fault", "1.failed"):
        os.mkfifo(folder / "rings" / name)
    os.mkfifo(folder / "verdict.json")

    assert why(folder).status in (0, 1)


def test_a_file_is_read_by_its_kind_and_its_size(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_bytes("# -*- coding: latin-1 -*-\r\nx = 'é'\n".encode("latin-1"))

    assert ["# -*- coding: latin-1 -*-\n", "x = 'é'\n"] == list(lines_of(str(source)))
    assert text_of(str(source), most=5) is None
    assert b"# -*-" == beginning_of(str(source), 5)
    for odd in ("/dev/zero", str(tmp_path), "a\0b", "/nowhere"):
        assert () == lines_of(odd) and text_of(odd) is None
    with judging(foreign=True):
        assert () == lines_of(str(source)) and is_foreign()
        with judging(foreign=False):
            assert lines_of(str(source))
    source.write_text("new = 1\n")
    assert ["new = 1\n"] == list(lines_of(str(source)))


ODD_STARTS: dict[str, dict[str, Any]] = {
    "rings are a list": {"rings": [1]},
    "rings have a zero byte": {"rings": "\0"},
    "time is huge": {"time": 1e300},
    "time is no time": {"time": "soon"},
    "command is a number": {"command": 5},
    "limits are texts": {"limits": {"Max open files": "x"}},
}


@pytest.mark.parametrize("fields", ODD_STARTS.values(), ids=ODD_STARTS.keys())
def test_a_start_of_another_shape_is_left_out_and_counted(
    tmp_path: Path, why: Any, fields: dict[str, Any]
) -> None:
    sent = archive(tmp_path / "a.zip", record__supervisor_log=record(**fields))

    for words in (("--json",), ("--html", "-"), ()):
        done = why(sent, *words)
        assert done.status in (0, 1), done.stderr
        assert "unreadable entries skipped: 1" in " ".join(done.stdout.split())


def packed(content: bytes, damage: bool = False, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A file with a log in it; damaged: one byte of what was deflated."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", kind) as box:
        box.writestr(ABOUT_NAME, json.dumps({"schema": SCHEMA, "run": "r"}))
        box.writestr("record/supervisor.log", content)
    data = bytearray(target.getvalue())
    if damage:
        at = data.find(b"supervisor.log") + 16
        data[at : at + 40] = bytes(byte ^ 0x5A for byte in data[at : at + 40])
    return bytes(data)


BOMBS: dict[str, Any] = {
    "damaged": lambda: packed(os.urandom(1000), damage=True),
    "another packing": lambda: packed(b"x" * 1000, kind=zipfile.ZIP_LZMA),
    "zeros": lambda: packed(bytes(33_000_000)),
    "an endless about": lambda: _one(ABOUT_NAME, b"[" * 5_000_000),
    "a deep about": lambda: _one(ABOUT_NAME, b"[" * 9_000),
    "no about": lambda: _one("record/fine", b""),
    "only a list": lambda: _list_of(30_000),
}  # fmt: skip


def _one(name: str, content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr(name, content)
    return target.getvalue()


def _list_of(count: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as box:
        for number in range(count):
            box.writestr(f"{number:040}", b"")
    return target.getvalue()


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS.keys())
def test_what_no_run_is_like_is_refused_in_a_sentence(tmp_path: Path, why: Any, make: Any) -> None:
    (tmp_path / "a.zip").write_bytes(make())
    with pytest.raises(RecordUnreadable), run_folder(str(tmp_path / "a.zip")):
        pass

    done = why(tmp_path / "a.zip")

    assert 3 == done.status and "is not an exported run" in done.stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_a_little_file_of_many_entries_takes_no_more_than_a_large_run(tmp_path: Path) -> None:
    threads = [{"frames": [["", 0, ""]] * 200}] * 100
    entries = framed([{"kind": "stack", "time": BEGAN, "threads": threads}] * 30)
    members = {f"record__rings__{pid}-1_ring": entries for pid in range(1, 9)}
    sent = archive(tmp_path / "bomb.zip", record__supervisor_log=record(), **members)
    assert 300_000 > sent.stat().st_size and 50_000_000 < 8 * len(entries)

    words = [sys.executable, "-c", MEASURED, str(sent)]
    environment = os.environ | {"OUTLIVE_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=100)

    assert "Traceback" not in done.stderr
    megabytes = int(done.stdout.split()[-1])
    assert megabytes <= 200
    assert "too large together; skipped: 7" in done.stdout


#: A limit would show in another way on each system; what was used is the same everywhere.
MEASURED = """
import sys
from outlive.__main__ import main
try:
    main(["why", sys.argv[1], "--json"])
finally:
    print(next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_what_a_killed_process_left_behind_is_removed(
    tmp_path: Path, why: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = archive(tmp_path / "a.zip", record__supervisor_log=record())
    waiting = (
        "import sys\nfrom outlive.recorder.store.archive import run_folder\n"
        "with run_folder(sys.argv[1]) as folder:\n    print(folder, flush=True)\n    sys.stdin.read()"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", waiting, str(sent)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    folders = [Path(str(process.stdout and process.stdout.readline()).strip()) for process in processes]  # fmt: skip
    killed, living = processes
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=10)
    old = time.time() - SECONDS_UNTIL_LOCKED - 10
    for folder in folders:
        assert folder.is_dir() and folder.parent.name.startswith(PREFIX)
        os.utime(folder.parent, (old, old))

    try:
        assert 1 == why(sent).status
        assert [False, True] == [folder.is_dir() for folder in folders]
    finally:
        living.communicate("", timeout=10)
    assert not folders[1].exists()


def test_names_that_were_typed_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = "\x1b[31mred"
    (tmp_path / odd).write_text("no zip")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))

    for words in (
        ("why", odd),
        ("compare", odd),
        ("runs", "export", odd, "x"),
        ("plan", odd),
        ("lint", odd + "/nowhere"),
        ("detect", odd, "x", "--out", odd),
        ("scan", odd + "2"),
        (odd,),
        ("why", f"--{odd}"),
    ):
        try:
            status = main(list(words))
        except SystemExit as ended:
            status = int(ended.code or 0)
        told = "".join(capsys.readouterr())
        assert 0 != status and "red" in told, words
        assert "\x1b" not in told, words


def test_a_home_that_was_typed_is_shown(tmp_path: Path, outlive: Outlive) -> None:
    done = outlive("run", "true", variables={"OUTLIVE_HOME": "/proc/\x1b[31mred"}, cwd=tmp_path)

    assert "\\x1b[31mred" in done.stderr and "\x1b" not in done.stderr


def test_a_source_that_no_parser_takes_is_left(tmp_path: Path, why: Any) -> None:
    frames = [[f"{FOLDER}/train.py", 1, "main"]]
    error = {"type": "ValueError", "message": "x", "frames": frames}
    notes = [
        {"kind": "process", "pid": PID, "time": BEGAN},
        {"kind": "shown", "pid": PID, "time": BEGAN, "error": error},
        {"kind": "error", "origin": "main", "pid": PID, "time": BEGAN, "error": error},
    ]
    for number, text in enumerate(("(" * 9000, "-" * 150_000 + "1", "\0", "f(" * 5000, SOURCE)):
        source = {"kind": "source", "file": f"{FOLDER}/train.py", "text": text}
        sent = archive(
            tmp_path / f"{number}.zip",
            record__supervisor_log=record() + framed([source]),
            **{f"record__rings__{PID}-1_ring": framed(notes)},
        )
        assert 1 == why(sent, "--again").status


def test_the_checksum_of_a_forged_frame_is_right() -> None:
    (sent,) = [framed([{"kind": "run"}])]
    assert zlib.crc32(sent[8:]) == int.from_bytes(sent[4:8], "little")
