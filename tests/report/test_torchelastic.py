"""torchrun prints the verdict of a rank that failed: the file is as its reader wants it, and a program's own is left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from outlive.model.findings import Confidence, Ending, EndingKind, Finding, Place, Verdict
from outlive.report.hooks.torchelastic import tell_torchrun

PLACE = Place("train.py", 7, "step", "kept.append(x)")
DIED = Verdict(
    "20260101-000000-aaaa",
    Ending(EndingKind.SIGNAL, "SIGKILL"),
    (Finding("The list kept all.", slug="kept-in-container", where=PLACE, confidence=Confidence.PROVEN),),
)  # fmt: skip


def told(path: Path, verdict: Verdict = DIED) -> None:
    tell_torchrun(verdict, "train.py", 1700.9, {"TORCHELASTIC_ERROR_FILE": str(path)})


def test_it_holds_the_cause_the_line_and_the_moment_of_the_end(tmp_path: Path) -> None:
    told(tmp_path / "error.json")

    message = json.loads((tmp_path / "error.json").read_text())["message"]
    assert "The list kept all." in message["message"]
    assert {"timestamp", "py_callstack"} == message["extraInfo"].keys()
    assert "1700" == message["extraInfo"]["timestamp"]
    assert "train.py:7 in step" in message["extraInfo"]["py_callstack"]


def test_what_the_program_has_written_itself_stays(tmp_path: Path) -> None:
    (tmp_path / "error.json").write_text("its own")

    told(tmp_path / "error.json")

    assert "its own" == (tmp_path / "error.json").read_text()


def test_nothing_is_written_of_a_run_that_ended_well_nor_where_nobody_asked(tmp_path: Path) -> None:
    told(tmp_path / "error.json", Verdict("run", Ending(EndingKind.SUCCESS)))
    told(tmp_path / "missing" / "error.json")
    tell_torchrun(DIED, "train.py", 1.0, {})

    assert [] == list(tmp_path.iterdir())


def test_a_run_leaves_it_there(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "OUTLIVE_HOME": str(tmp_path / "home"),
        "TORCHELASTIC_ERROR_FILE": str(tmp_path / "error.json"),
    }
    subprocess.run(
        [sys.executable, "-m", "outlive", "run", "-q", "--", sys.executable, "-c", "{}['a']"],
        env=environment, check=False, timeout=60,
    )  # fmt: skip

    assert "KeyError" in (tmp_path / "error.json").read_text()
