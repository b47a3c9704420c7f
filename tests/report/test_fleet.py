"""Runs of many hosts, grouped: how often, since when, since which commit, on how many hosts. The records are written as the recorder writes them."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from outlive.__main__ import main
from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.recorder.store import run_folders

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from outlive.report.fleet.groups import groups
from outlive.report.fleet.page import fleet_page
from outlive.report.fleet.table import fleet
from outlive.report.fleet.words import history

NOW = 1_795_000_000.0
DAY = 86_400.0
EVIL = "</p><script>alert(1)</script>"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "mine"))


def verdict(says: str, line: int, code: str) -> dict[str, Any]:
    where = {"file": "train.py", "line": line, "function": "load", "code": code}
    cause = {"slug": "kept-in-container", "confidence": "proven", "says": says, "where": where, "because": [], "remedies": []}  # fmt: skip
    ending = {"kind": "signal", "signal": "SIGKILL", "exit_code": None, "by": "kernel-oom", "detail": "ended"}  # fmt: skip
    return {"schema": "outlive.verdict/1", "run": "", "ending": ending, "cause": cause, "also": [], "gaps": {}}  # fmt: skip


def record(
    home: Path,
    host: str,
    days: float,
    revision: str,
    told: dict[str, Any] | None,
    sealed: bool = True,
) -> Path:
    began = NOW - days * DAY
    name = time.strftime("%Y%m%d-%H%M%S-", time.localtime(began)) + f"{int(days * 100):05x}aa"
    folder = home / host / "runs" / name
    folder.mkdir(parents=True)
    start = {"kind": kinds.RUN, "command": ["python", "train.py"], "time": began, "host": {"name": host}, "revision": revision}  # fmt: skip
    (folder / run_folders.LOG_NAME).write_bytes(encode(1, start) + encode(2, {"kind": kinds.SAMPLE, "at": 1.0}))  # fmt: skip
    if told is not None:
        (folder / run_folders.VERDICT_NAME).write_text(json.dumps(told))
    if sealed:
        (folder / run_folders.SEALED_NAME).touch()
    return folder


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    place = tmp_path / "fleet"
    record(place, "a", 40, "1" * 40, None)
    record(place, "a", 30, "1" * 40, None)
    record(place, "a", 20, "2" * 40, verdict("holds 9", 7, "kept.append(x)"))
    record(place, "b", 3, "2" * 40, verdict("holds 90", 17, "kept.append(x)"))
    record(place, "c", 2, "3" * 40, verdict("holds 12", 27, "kept.append( x )  # all"))
    record(place, "c", 1, "3" * 40, verdict(EVIL, 3, f"other({EVIL!r})"))
    return place


def test_a_fault_is_met_again_whatever_line_it_moved_to(homes: Path) -> None:
    found = groups(fleet([str(homes)]), NOW)

    assert [3, 1] == [group.times for group in found]
    first = found[0]
    assert (2, 3, "2" * 40, 2, "1" * 40, 27) == (
        first.this_week, first.hosts, first.revision, first.runs_before, first.before, first.line,
    )  # fmt: skip


def test_it_is_said_how_often_since_when_and_since_which_commit(homes: Path) -> None:
    told = history(groups(fleet([str(homes)]), NOW)[0], NOW)

    assert "second time this week, 3 in all" in told
    assert f"first at commit {'2' * 10}, not in 2 earlier runs (the last at {'1' * 10})" in told
    assert told.endswith("3 hosts")


def test_an_address_is_read_like_a_folder(homes: Path) -> None:
    by_folder, by_address = (groups(fleet([place]), NOW) for place in (str(homes), homes.as_uri()))

    assert [it.fingerprint for it in by_folder] == [it.fingerprint for it in by_address]


def test_what_has_ended_is_read_once_and_what_is_deleted_counts_no_more(homes: Path) -> None:
    before = groups(fleet([str(homes)]), NOW)
    for path in homes.glob(f"*/runs/*/{run_folders.VERDICT_NAME}"):
        path.write_text("{torn")
    kept = groups(fleet([str(homes)]), NOW)
    for path in homes.glob("c/runs/*/*"):
        path.unlink()
    for path in homes.glob("c/runs/*"):
        path.rmdir()
    less = groups(fleet([str(homes)]), NOW)

    assert before == kept
    assert [2] == [group.times for group in less]


def test_a_run_that_goes_on_is_asked_again(homes: Path) -> None:
    folder = record(homes, "d", 0.5, "3" * 40, None, sealed=False)
    before = groups(fleet([str(homes)]), NOW)
    (folder / run_folders.VERDICT_NAME).write_text(json.dumps(verdict("x", 99, "kept.append(x)")))

    after = groups(fleet([str(homes)]), NOW)

    assert [3, 4] == [before[0].times, after[0].times]


def test_a_torn_index_and_torn_verdicts_hide_nothing_else(homes: Path, tmp_path: Path) -> None:
    fleet([str(homes)])
    for path in (tmp_path / "mine" / "fleet").iterdir():
        path.write_bytes(b"torn")
    next(homes.glob(f"a/runs/*/{run_folders.VERDICT_NAME}")).write_text("[]")

    assert [2, 1] == [group.times for group in groups(fleet([str(homes)]), NOW)]


def test_the_page_shows_what_a_program_said_and_never_obeys_it(homes: Path) -> None:
    page = fleet_page(groups(fleet([str(homes)]), NOW), 6, NOW)

    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#x27;none&#x27;" in page


def test_the_command_lists_the_faults_and_hands_the_rows_on(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow.parquet

    target = tmp_path / "runs.parquet"
    assert 0 == main(["runs", "--group", "--in", str(homes)])
    listed = capsys.readouterr().out
    assert 0 == main(["runs", "--parquet", str(target), "--in", str(homes)])

    assert "2 faults in 4 of 6 runs" in listed
    assert 6 == pyarrow.parquet.read_table(target).num_rows
    assert 0 == target.stat().st_mode & 0o077


def test_without_arrow_it_is_said_what_to_install(
    homes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.compute", None)

    assert 0 != main(["runs", "--group", "--in", str(homes)])
    assert "outlive[fleet]" in capsys.readouterr().err
