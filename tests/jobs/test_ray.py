"""A cluster of Ray that really loses a node: each input is answered once, and what kills its worker is named."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kill_storm import make_pictures
from outlive.jobs.leases.parts import Parts
from outlive.jobs.leases.storage import FolderStorage
from ray_processes import Talking, left_behind

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="Ray is not installed: pip install 'outlive[scale]'",
)
pytestmark = [needs_ray, pytest.mark.death, pytest.mark.timeout(300)]

HELPERS = Path(__file__).parent.parent / "helpers"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home of its own: Ray keeps a secret there that would change how every later cluster starts."""
    home = tmp_path_factory.mktemp("home")
    return {
        **os.environ,
        "HOME": str(home),
        "OUTLIVE_HOME": str(home / "outlive"),
        "PYTHONPATH": os.pathsep.join([str(HELPERS), os.environ.get("PYTHONPATH", "")]),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_health_check_period_ms": "500",
    }


@pytest.fixture(scope="module")
def cluster(environment: dict[str, str]) -> Iterator[tuple[Talking, str]]:
    talking = Talking(environment, "ray_cluster.py", "2")
    address = talking.heard()["address"]
    yield talking, address
    talking.end()
    assert [] == left_behind(environment["OUTLIVE_HOME"])


@pytest.mark.skipif(
    importlib.util.find_spec("pandas") is None, reason="Ray Data needs pandas: pip install pandas"
)
def test_a_row_that_kills_a_batch_of_ray_data_comes_back_with_its_verdict(
    cluster: tuple[Talking, str], environment: dict[str, str]
) -> None:
    _, address = cluster
    job = Talking(environment, "ray_rows.py", address)

    told = job.heard()

    assert 0 == job.end()
    for rows in (told["class"], told["function"]):
        by_id = {row["id"]: row for row in rows}
        assert list(range(40)) == sorted(by_id)
        bad = {
            n: json.loads(row["__outlive_error__"])
            for n, row in by_id.items()
            if row["__outlive_error__"]
        }
        assert {7: "user-native-crashed", 23: "uncaught-exception"} == {
            n: one["cause"] for n, one in bad.items()
        }
        assert {n: 2 * n for n in range(40) if n not in bad} == {
            n: row["double"] for n, row in by_id.items() if n not in bad
        }


def test_a_data_set_is_checked_by_actors_as_on_one_machine(
    cluster: tuple[Talking, str], environment: dict[str, str], tmp_path: Path
) -> None:
    _, address = cluster
    make_pictures(tmp_path / "pictures", 30, {"truncated": 2, "html": 1})

    def scanned(*words: str) -> dict[str, Any]:
        command = ["scan", str(tmp_path / "pictures"), "--json", "--no-cache", *words]
        done = subprocess.run(
            [sys.executable, "-m", "outlive", *command],
            env=environment, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert 1 == done.returncode, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    here = scanned()

    assert 3 == len(here["flaws"]), here
    assert here == scanned("--on", f"ray:{address}")


def test_a_function_is_called_by_actors_and_what_kills_it_is_told(
    cluster: tuple[Talking, str], environment: dict[str, str]
) -> None:
    _, address = cluster
    job = Talking(environment, "ray_predict.py", f"ray:{address}")

    told = job.heard()

    assert 0 == job.end()
    assert {str(n): 2 * n for n in range(60) if n != 17} == told["values"]
    assert {"17": "user-native-crashed"} == told["causes"]


def test_a_node_that_is_lost_costs_no_input_and_each_poison_is_named(
    cluster: tuple[Talking, str], environment: dict[str, str], tmp_path: Path
) -> None:
    talking, address = cluster
    gate = tmp_path / "gate"
    acts = {7: "segfault", 50: "abort", 120: "throw"}
    items: list[dict[str, Any]] = [{"n": n} for n in range(200)]
    for n, act in acts.items():
        items[n]["run"] = act
    for item in items[60:]:
        item["until"] = str(gate)
    (tmp_path / "items.json").write_text(json.dumps(items))
    out = tmp_path / "out"
    job = Talking(environment, "ray_job.py", address, str(out), str(tmp_path / "items.json"))

    told = job.heard()
    answered: Counter[int] = Counter(told.get("answered", ()))
    while told.get("nodes") != 2 or len(answered) < 20:  # both have work in hand, and it waits
        told = job.heard()
        answered.update(told.get("answered", ()))
    talking.tell("kill 1")
    while not told.get("lost") or told["nodes"] != 1:
        told = job.heard()
        answered.update(told.get("answered", ()))
    gate.touch()
    while "finished" not in told:
        told = job.heard()
        answered.update(told.get("answered", ()))

    assert told["finished"]
    assert 0 == job.end()
    assert Counter(range(200)) == answered
    parts = Parts(FolderStorage(str(out)))
    parts.look()
    records = list(parts.records())
    assert Counter(str(n) for n in range(200)) == Counter(
        name
        for record in records
        for name in [
            *(one for one, _ in record["done"]),
            *(one["input"] for one in record["quarantined"]),
        ]
    )
    bad = {one["input"]: one for record in records for one in record["quarantined"]}
    causes = {name: one["cause"] for name, one in bad.items()}
    crashed = "user-native-crashed"
    assert {"7": crashed, "50": crashed, "120": "uncaught-exception"} == causes
    assert all(one["host"] and one["worker"] for one in bad.values())
    assert [] == [name for name in os.listdir(out / "parts") if not name.endswith(".jsonl")]


def test_a_driver_that_is_killed_is_resumed_and_nothing_committed_is_done_again(
    cluster: tuple[Talking, str], environment: dict[str, str], tmp_path: Path
) -> None:
    _, address = cluster
    gate = tmp_path / "gate"
    items = [{"n": n, **({"until": str(gate)} if n >= 60 else {})} for n in range(120)]
    (tmp_path / "items.json").write_text(json.dumps(items))
    out = tmp_path / "out"
    words = ("ray_job.py", address, str(out), str(tmp_path / "items.json"))
    job = Talking(environment, *words)
    while not job.heard()["answered"]:
        pass

    job.process.kill()
    assert -signal.SIGKILL == job.end()
    before = set(os.listdir(out / "parts"))
    gate.touch()
    again = Talking(environment, *words)
    answered: Counter[int] = Counter()
    while "finished" not in (told := again.heard()):
        answered.update(told["answered"])

    assert told["finished"] and 0 == again.end()
    assert before <= set(os.listdir(out / "parts"))
    parts = Parts(FolderStorage(str(out)))
    parts.look()
    done = Counter(name for record in parts.records() for name, _ in record["done"])
    assert Counter(str(n) for n in range(120)) == done
    assert len(answered) < 120 and set(answered.values()) == {1}
