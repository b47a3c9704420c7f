"""The bench: its arithmetic, its order, and that it runs. No figure is asserted: that is what the bench is for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent.parent / "bench"
sys.path.append(str(BENCH))

from arithmetic import compare, geometric_mean, spread  # noqa: E402
from plan import SECTIONS, Settings, tasks  # noqa: E402
from results import Measurement, Results, Task, UnreadableResults  # noqa: E402
from subjects import BARE, CONTROL, OUTLIVE, PEERS  # noqa: E402
from table import Table, as_markdown, as_text  # noqa: E402
from targets import targets  # noqa: E402


def measured(
    subject: str, round: int, value: float, case: str = "python_loop", block: str = OUTLIVE
) -> Measurement:
    return Measurement(Task("workloads", case, subject, block, round), {"loop": value})


def all_workloads(outlive: float, control: float) -> list[Measurement]:
    return [
        measured(subject, 1, value, case)
        for case in SECTIONS["workloads"].cases
        for subject, value in ((BARE, 10.0), (OUTLIVE, outlive), (CONTROL, control))
    ]


def test_ratio_is_of_medians_and_spread_of_pairs():
    measurements = [
        *(measured(BARE, number, value) for number, value in enumerate((10, 20, 30), 1)),
        *(measured(OUTLIVE, number, value) for number, value in enumerate((11, 20, 60), 1)),
    ]
    found = compare(measurements, "workloads", "python_loop", OUTLIVE, "loop")
    assert found is not None
    assert found.ratio == 1.0
    assert (found.paired.least, found.paired.median, found.paired.most) == (1.0, 1.1, 2.0)
    assert found.added.most == 30


def test_only_pairs_of_one_block_and_counted_rounds_are_compared():
    measurements = [
        measured(BARE, 0, 1.0),
        measured(OUTLIVE, 0, 9.0),  # the warm-up
        measured(BARE, 1, 1.0, block="memray"),  # beside somebody else
        measured(OUTLIVE, 1, 9.0),
    ]
    assert compare(measurements, "workloads", "python_loop", OUTLIVE, "loop") is None


def test_geometric_mean_cancels_a_doubling_and_a_halving():
    assert geometric_mean([2.0, 0.5]) == pytest.approx(1.0)


def test_spread_of_a_single_number_is_that_number():
    assert spread([3.0]).low == spread([3.0]).high == spread([3.0]).median == 3.0
    with pytest.raises(ValueError, match="nothing was measured"):
        spread([])


@pytest.mark.parametrize(
    ("outlive", "control", "outcome"),
    [(10.05, 10.0, "met"), (10.2, 10.0, "MISSED"), (10.05, 10.3, "undecided"), (15.0, 10.3, "MISSED")],
)  # fmt: skip
def test_one_per_cent_is_judged_only_as_well_as_bare_agrees_with_itself(outlive, control, outcome):
    results = Results({"quick": False}, {}, all_workloads(outlive, control))
    assert targets(results)[0].outcome.startswith(outcome)


def test_deviations_of_the_control_do_not_cancel():
    both_ways = zip(SECTIONS["workloads"].cases, (12.0, 8.0, 12.0, 8.0), strict=True)
    measurements = [
        measured(subject, 1, value, case)
        for case, control in both_ways
        for subject, value in ((BARE, 10.0), (OUTLIVE, 10.0), (CONTROL, control))
    ]
    target = targets(Results({"quick": False}, {}, measurements))[0]
    assert target.outcome.startswith("undecided")


def test_what_was_not_measured_is_neither_met_nor_missed():
    assert {target.outcome for target in targets(Results({}, {}))} == {"not measured"}


def test_a_failure_of_outlive_keeps_a_target_from_being_met():
    died = [
        Measurement(Task("verdict", "SIGKILL", subject, OUTLIVE, 1), {"seconds": 0.1})
        for subject in (BARE, OUTLIVE)
    ]
    failed = Measurement(
        Task("verdict", "SIGSEGV", OUTLIVE, OUTLIVE, 1), failure="fails: no verdict was made"
    )
    assert targets(Results({}, {}, died))[-1].outcome == "met"
    assert targets(Results({}, {}, [*died, failed]))[-1].outcome.startswith("undecided")


def test_every_task_is_unique_and_has_a_bare_run_beside_it():
    planned = list(tasks(Settings(tuple(SECTIONS), PEERS, quick=False, repeat=None)))
    assert len(set(planned)) == len(planned)
    bare = {
        (task.section, task.case, task.block, task.round)
        for task in planned
        if task.subject == BARE
    }
    compared = [task for task in planned if SECTIONS[task.section].companions]
    assert all((task.section, task.case, task.block, task.round) in bare for task in compared)
    assert planned == list(tasks(Settings(tuple(SECTIONS), PEERS, quick=False, repeat=None)))


def test_results_come_back_from_disk_and_nothing_else_does(tmp_path):
    kept = Results({"quick": True}, {"cores": "2"}, [measured(BARE, 1, 1.5)])
    kept.save(tmp_path / "kept.json")
    assert Results.load(tmp_path / "kept.json") == kept
    (tmp_path / "other.json").write_text('{"schema": "other/1"}')
    with pytest.raises(UnreadableResults):
        Results.load(tmp_path / "other.json")


def test_both_tables_show_every_cell():
    table = Table("Title", "Says.", ("", "a|b"), (("row", "1"), ("longer row", "22")))
    assert as_text(table).splitlines()[-1] == "longer row   22"
    assert as_markdown(table).splitlines()[-4:] == [
        "|  | a\\|b |",
        "| --- | ---: |",
        "| row | 1 |",
        "| longer row | 22 |",
    ]


def test_a_quick_run_of_one_section_ends_with_a_report(tmp_path):
    command = [
        sys.executable,
        str(BENCH / "run.py"),
        "--quick",
        "--only",
        "start-up",
        "--repeat",
        "2",
    ]
    files = ["--json", str(tmp_path / "b.json"), "--markdown", str(tmp_path / "b.md")]
    places = ["--environments", str(tmp_path / "environments")]
    done = subprocess.run([*command, *files, *places], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "adds at most 50 ms to the start" in done.stdout
    page = (tmp_path / "b.md").read_text()
    assert "### Start-up" in page
    assert str(tmp_path) not in page and str(BENCH.parent) not in page
    measurements = json.loads((tmp_path / "b.json").read_text())["measurements"]
    assert len(measurements) == 2 * 2 * 2
    assert not any(measurement["failure"] for measurement in measurements)
