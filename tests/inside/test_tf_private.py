"""The adapters to TensorFlow's private parts, on real objects of the installed version (``make versions``: of others too)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import UNWANTED
from outlive.inside.tfdata import stage_table
from outlive.inside.tfdata.rebuild_stage import SPECIAL
from outlive.inside.tfdata.stage_table import STAGES
from outlive.keep.skip.rebuild import SAME, WAYS

pytestmark = pytest.mark.timeout(300)  # one start of TensorFlow, on a machine that may be busy

PROGRAM = Path(__file__).parent.parent / "programs" / "private_parts.py"


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One start of TensorFlow for all of it."""
    if importlib.util.find_spec("tensorflow") is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: TensorFlow is not installed")
        pytest.skip("TensorFlow is not installed")
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        env=kept | {"OUTLIVE_HOME": str(tmp_path_factory.mktemp("home"))},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-3000:]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_every_stage_of_the_table_is_one_of_tensorflows(found: dict[str, Any]) -> None:
    assert [] == found["unknown classes"]
    assert [] == found["without operation"]
    assert [] == found["special"]


def test_every_stage_with_an_operation_is_built_again_as_it_was(found: dict[str, Any]) -> None:
    expected = {name: "the same" for name, row in STAGES.items() if row.operation}

    assert expected == found["built"]


def test_the_recorder_finds_every_part(found: dict[str, Any]) -> None:
    assert {
        "holds": ["shuffle", "prefetch", "cache", "map", "interleave", "cycle"],
        "inputs": True,
        "input": True,
        "batch": 2,
        "tensors": [1, 0],
        "files": True,
        "dataset": True,
        "of NumPy": True,
        "context": True,
        "allocated": True,
        "handle": True,
        "signatures": 2,
        "bound": [],
        "graph": True,
        "tape": [True, True, True, False],
        "elements": 6,
        "sides": [2, None],
        "modules": [],
    } == found["recorded"]


def test_what_is_missing_is_said_and_nothing_breaks(found: dict[str, Any]) -> None:
    assert {
        "recorder": "[None, [], None]",
        "handle": "MissingPart",
        "parameter": "MissingPart",
        "unlisted": "KeyError",
        "graph": "MissingPart",
    } == found["missing"]


def test_each_way_of_skipping_is_somebodys() -> None:
    ways = {row.skipping for row in STAGES.values()} - {None, stage_table.SOURCE, stage_table.MAP}

    assert {stage_table.SAME, *WAYS} == ways
    assert set(SAME) == {name for name, row in STAGES.items() if row.skipping == stage_table.SAME}


def test_an_operation_has_parameters_in_the_table_or_a_function_of_its_own() -> None:
    """Those with neither take nothing but their input."""
    plain = {
        name
        for name, row in STAGES.items()
        if row.operation and row.operation not in SPECIAL and not row.parameters
    }

    assert {"UnbatchDataset"} == plain
    assert not [row for row in STAGES.values() if row.parameters and row.operation in SPECIAL]
