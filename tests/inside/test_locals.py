"""Looking at the names of a running function leaves no trace in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from outlive.recorder.supervisor import INSIDE_PATH
from pythons import pythons

PROGRAM = Path(__file__).parent.parent / "programs" / "keeps_nothing.py"


@pytest.mark.parametrize("version", sorted(pythons()))
def test_what_a_function_lets_go_of_is_gone_and_what_it_lent_stays(version: str) -> None:
    inside = Path(INSIDE_PATH).parent.parent
    done = subprocess.run(
        [pythons()[version], str(PROGRAM), str(inside)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    lent = (
        1 if version in ("3.9", "3.10", "3.11", "3.12") else 100
    )  # from 3.13 on it is the function's own
    assert "" == done.stderr
    assert ["['frame', 'seen', 'thing'] True None", f"100 {lent}"] == done.stdout.splitlines()
