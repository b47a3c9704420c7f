"""A program may have a signal.py or a struct.py of its own: it gets its own, and the recorder the standard library's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

MAIN = Path(__file__).parent.parent / "shadows" / "main.py"


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outlive", *arguments],
        env=os.environ | {"OUTLIVE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_program_finds_its_own_modules(tmp_path: Path) -> None:
    ended = run(tmp_path, "run", str(MAIN))

    assert (0, "", "") == (ended.returncode, ended.stdout, ended.stderr)


def test_the_recorder_works_beside_them(tmp_path: Path) -> None:
    ended = run(tmp_path, "run", str(MAIN), "fail")
    verdict = json.loads(run(tmp_path, "why", "--json").stdout)

    assert 1 == ended.returncode
    assert "LookupError: as asked" == verdict["cause"]["says"]
    assert 14 == verdict["cause"]["where"]["line"]
