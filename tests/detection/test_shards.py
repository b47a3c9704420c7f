"""`outlive detect --shard`: a job in parts, one of which is killed and started anew, merged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conftest import Outlive
from kill_storm import detect_command, make_pictures

pytestmark = [pytest.mark.tf, pytest.mark.death, pytest.mark.timeout(600)]

HERE = Path(__file__).parent.parent
GOOD = 150
POISON = {"truncated": 1, "check": 1}


@pytest.fixture(scope="module")
def detectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("detectors")
    made = [sys.executable, str(HERE / "helpers/small_detectors.py"), str(folder), "any"]
    subprocess.run([*made, "classifier"], capture_output=True, timeout=300, check=True)
    return folder


def start(command: list[str], outlive: Outlive) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, env=outlive.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_three_shards_one_killed_and_started_anew_give_each_picture_once(
    outlive: Outlive, detectors: Path, tmp_path: Path
) -> None:
    pictures, out = tmp_path / "pictures", tmp_path / "found"
    make_pictures(pictures, GOOD, POISON)

    def command(shard: int) -> list[str]:
        words = ("--shard", f"{shard}/3", "--format", "jsonl")
        return detect_command(detectors / "any", pictures, out, *words)

    first, second = start(command(0), outlive), start(command(1), outlive)
    wait_for_a_part(out, (first, second))
    killed = second if second.poll() is None else first
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    ended = {one.communicate(timeout=300) and one.returncode for one in (first, second)}
    assert -signal.SIGKILL in ended
    before = set(os.listdir(out / "parts"))

    early = outlive("detect", "--merge", str(out))
    assert 3 == early.status
    assert "Not finished: shards" in early.stdout

    again = [start(command(shard), outlive) for shard in range(3)]
    told = [one.communicate(timeout=300) for one in again]

    assert [0, 0, 0] == [one.returncode for one in again], told
    assert all("This shard has finished" in out for out, _ in told)
    assert before <= set(os.listdir(out / "parts"))
    status = json.loads(outlive("detect", "--status", str(out), "--json").stdout)
    assert (GOOD, 2, True) == (status["done"], status["quarantined"], status["finished"])
    merged = outlive("detect", "--merge", str(out))
    assert 1 == merged.status, merged.stderr
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    bad = [json.loads(line) for line in (out / "quarantine.jsonl").read_text().splitlines()]
    everything = {path.name for path in pictures.iterdir()}
    assert dict.fromkeys(everything, 1) == Counter(Path(one["input"]).name for one in rows + bad)
    assert {"corrupt-image", "tf-check-failed"} == {one["cause"] for one in bad}
    assert all(one["host"] and one["worker"] for one in bad)


def wait_for_a_part(out: Path, shards: tuple[subprocess.Popen[str], ...]) -> None:
    """Until the first lease is committed: what the shards have done by then must not be done again."""
    while not any((out / "parts").glob("*.jsonl")):
        assert any(one.poll() is None for one in shards), [one.communicate() for one in shards]


def test_a_shard_whose_model_is_no_detector_says_that_it_must_not_be_tried_again(
    outlive: Outlive, detectors: Path, tmp_path: Path
) -> None:
    make_pictures(tmp_path / "pictures", 8, {})
    words = ("detect", str(detectors / "classifier"), str(tmp_path / "pictures"))

    done = outlive(*words, "--out", "found", "--shard", "0/2", seconds=300)

    assert 4 == done.status, done.stderr
    assert "detection_boxes" in done.stderr


def test_what_is_asked_for_wrongly_is_told(outlive: Outlive, tmp_path: Path) -> None:
    make_pictures(tmp_path / "pictures", 2, {})
    words = ("detect", "model.tflite", str(tmp_path / "pictures"))

    assert "There is no job with shards" in outlive("detect", "--merge", str(tmp_path)).stderr
    assert "There is no job with shards" in outlive("detect", "--status", str(tmp_path)).stderr
    assert "No --out given" in outlive(*words).stderr
    assert "No model given" in outlive("detect").stderr
