"""`outlive doctor` on the command line: what it prints, what it mends, with which status."""

from __future__ import annotations

import functools
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from limited import enter, memory_group, parent_group
from rich.console import Console

from broken_environments import Environment, make_environment
from conftest import Outlive
from made_machines import CHECKS
from outlive.doctor.checkup import check_up
from outlive.model.findings import Checked, Checkup, Finding, State
from outlive.model.surroundings import Surroundings
from outlive.report.checkup import render_checkup
from outlive.units.unit import Unit


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return make_environment(tmp_path / "env")


def test_a_broken_environment_is_told_with_status_1(
    outlive: Outlive, environment: Environment
) -> None:
    environment.write("tensorflow/__init__.py", "import os; os.abort()\n")
    environment.metadata("tensorflow", "2.21.0")
    environment.metadata("tensorflow-cpu", "2.21.0")

    done = outlive("doctor", "-v", "--python", environment.python)

    assert (1, "") == (done.status, done.stderr)
    assert "✗ several-tensorflows" in done.stdout
    assert "killed the process with SIGABRT" in done.stdout
    assert "pip uninstall -y tensorflow tensorflow-cpu" in done.stdout
    assert all(slug in done.stdout for slug, unit in CHECKS.items() if "cluster" not in unit.needs)


def test_one_check_is_asked_by_name_or_code(outlive: Outlive, environment: Environment) -> None:
    words = ("doctor", "--python", environment.python, "--no-import", "--json")
    by_name = outlive(*words, "several-tensorflows")
    by_code = outlive(*words, "H503")

    assert (0, "") == (by_name.status, by_name.stderr)
    assert ["several-tensorflows"] == [
        item["check"] for item in json.loads(by_name.stdout)["checks"]
    ]
    assert by_name.stdout == by_code.stdout


def test_the_json_has_state_fact_source_and_remedy(
    outlive: Outlive, environment: Environment
) -> None:
    done = outlive("doctor", "--json", "--no-import", "--python", environment.python)

    data = json.loads(done.stdout)
    assert (1, "outlive.checkup/1", {}) == (done.status, data["schema"], data["failures"])
    missing = next(item for item in data["checks"] if item["check"] == "tensorflow-missing")
    assert "will fail" == missing["state"]
    (finding,) = missing["findings"]
    assert {"state", "says", "because", "remedies"} == finding.keys()
    assert finding["remedies"][0]["commands"]
    assert all({"name", "value", "source"} == fact.keys() for fact in finding["because"])


@pytest.mark.parametrize(
    "words", [("no-such-check",), ("--python", "/no/such/python"), ("--dry-run",), ("--nonsense",)]
)
def test_wrong_usage_has_status_2(outlive: Outlive, words: tuple[str, ...]) -> None:
    done = outlive("doctor", "--no-import", *words)

    assert (2, "") == (done.status, done.stdout)
    assert "Traceback" not in done.stderr


def test_what_is_safe_is_mended_and_only_with_fix(
    outlive: Outlive, environment: Environment
) -> None:
    remnant = environment.site / "~ensorflow"
    remnant.mkdir()
    (remnant / "left.py").write_text("")
    words = ("doctor", "--no-import", "--python", environment.python, "several-tensorflows")

    found = outlive(*words)
    dry = outlive(*words, "--fix", "--dry-run")
    there = remnant.exists()
    mended = outlive(*words, "--fix")

    assert (1, 1, True) == (found.status, dry.status, there)
    assert "would run: rm -rf" in dry.stderr
    assert 0 == mended.status, mended.stdout
    assert not remnant.exists()


def test_a_temporary_folder_that_is_missing_is_made(outlive: Outlive, tmp_path: Path) -> None:
    named = {"TMPDIR": str(tmp_path / "scratch $HOME" / "x")}

    found = outlive("doctor", "disk-nearly-full", variables=named)
    mended = outlive("doctor", "disk-nearly-full", "--fix", variables=named)

    assert "There is no folder for temporary files" in found.stdout
    assert "There is no folder" not in mended.stdout
    assert (tmp_path / "scratch $HOME" / "x").is_dir()


def test_nothing_unsafe_is_done_by_fix(outlive: Outlive, environment: Environment) -> None:
    environment.metadata("tensorflow", "2.21.0")
    environment.metadata("tensorflow-cpu", "2.21.0")
    before = sorted(path.name for path in environment.site.iterdir())

    done = outlive("doctor", "--no-import", "--fix", "--python", environment.python)

    assert 1 == done.status
    assert before == sorted(path.name for path in environment.site.iterdir())
    assert "Nothing here is safe to fix automatically" in done.stderr


def test_a_healthy_answer_has_status_0(outlive: Outlive, environment: Environment) -> None:
    done = outlive(
        "doctor", "--no-import", "--python", environment.python, "emulated-cpu", "numpy-abi-mixed"
    )

    assert 0 == done.status
    assert "  numpy-abi-mixed\n✓ All 2 checks passed.\n" in done.stdout


def shown(width: int, passed: bool = False, **states: State) -> list[str]:
    """What is printed of checks that all say the same, each with its own state."""
    says = "TensorFlow 2.21.0 imports (1.9 s)."
    told = [
        Checked(name.replace("_", "-"), "H1", (Finding(says, state=state),))
        for name, state in states.items()
    ]
    console = Console(file=io.StringIO(), width=width, color_system=None)
    render_checkup(Checkup(tuple(told)), console, passed=passed)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 80])
def test_good_news_is_one_line_and_trouble_stands_beside_the_prompt(width: int) -> None:
    fine = {"tensorflow_dies_at_import": State.FINE, "swap_missing": State.FINE}
    trouble = {"stack_limit_small": State.WILL_FAIL, "disk_nearly_full": State.WARNING}

    well = shown(width, **fine)
    listed = shown(width, passed=True, **fine)
    mixed = shown(width, **trouble, **fine)

    says = "TensorFlow 2.21.0 imports (1.9 s)."
    assert f"✓ {says} All 2 checks passed. List: -v" == " ".join(" ".join(well).split())
    assert len(well) == (1 if width == 80 else 2)
    assert f"✓ {says}  swap-missing" in listed
    assert ["! disk-nearly-full:", "✗ stack-limit-small:"] == [
        " ".join(row.split()[:2]) for row in mixed[:2]
    ]
    assert mixed[2].startswith("1 will fail · 1 warning · 2 passed")
    assert all(len(row) <= width for row in [*well, *listed, *mixed])


def test_a_check_that_breaks_is_told_and_hides_nobody_elses() -> None:
    def breaks(here: Surroundings) -> list[object]:
        raise RuntimeError("oops")

    broken: Unit[Surroundings] = replace(CHECKS["emulated-cpu"], ask=breaks)

    checkup = check_up(Surroundings(), [broken, CHECKS["swap-missing"]])

    assert ["swap-missing"] == [item.slug for item in checkup.checked]
    assert ["RuntimeError: oops"] == [failure.error for failure in checkup.failures]


def test_a_check_that_says_nothing_is_not_fine() -> None:
    silent: Unit[Surroundings] = replace(CHECKS["emulated-cpu"], ask=lambda here: ())

    assert State.UNKNOWN == check_up(Surroundings(), [silent]).checked[0].state


def test_the_doctor_works_in_a_folder_that_hides_modules(
    outlive: Outlive, environment: Environment
) -> None:
    for name in ("json.py", "numpy.py", "re.py"):
        outlive.script(name, "raise SystemExit('imported the wrong one')\n")

    done = outlive("doctor", "--no-import", "--python", environment.python, "emulated-cpu")

    assert "imported the wrong one" not in done.stdout + done.stderr


def test_the_doctor_works_in_a_folder_that_is_gone(outlive: Outlive, tmp_path: Path) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    words = [
        sys.executable,
        "-m",
        "outlive",
        "doctor",
        "--no-import",
        "disk-nearly-full",
        "several-tensorflows",
    ]

    done = subprocess.run(
        ["sh", "-c", script, "sh", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )  # fmt: skip

    assert (
        "Could not check the free space for the working directory: it has been removed."
        in done.stdout
    )
    assert "Traceback" not in done.stderr


def test_a_pipe_named_like_a_library_is_not_waited_for(
    outlive: Outlive, environment: Environment
) -> None:
    os.mkfifo(environment.site / "waits.so")
    os.mkfifo(environment.site / "waits_pb2.py")
    os.symlink(environment.site, environment.site / "round")

    done = outlive(
        "doctor", "--no-import", "--python", environment.python, "shared-library-unresolved"
    )

    assert 0 == done.status


def test_one_that_prints_without_end_is_ended_and_told(
    outlive: Outlive, environment: Environment
) -> None:
    environment.write(
        "tensorflow/__init__.py", "import os\nwhile True: os.write(1, b'x' * 1000000)\n"
    )

    done = outlive("doctor", "--python", environment.python, "tensorflow-dies-at-import")

    assert 1 == done.status
    assert "File too large" in done.stdout


def test_names_of_files_cannot_command_the_terminal(
    outlive: Outlive, environment: Environment
) -> None:
    (environment.site / "~\x1b[31mensorflow").mkdir()

    done = outlive("doctor", "--no-import", "--python", environment.python, "several-tensorflows")

    assert 1 == done.status
    assert "\x1b" not in done.stdout and r"\x1b[31mensorflow" in done.stdout


@pytest.mark.death
def test_where_memory_is_short_the_trial_is_killed_and_nobody_else(
    environment: Environment,
) -> None:
    """Another program in the same container, larger than the doctor, lives on."""
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")
    environment.write("tensorflow/__init__.py", "kept = b'x' * 500_000_000\n")
    holds = (
        "kept = b'x' * 150_000_000; print('ready', flush=True); input(); print('lived', flush=True)"
    )

    with memory_group(300) as group:
        inside = functools.partial(enter, group)
        neighbour = subprocess.Popen(
            [sys.executable, "-c", holds], preexec_fn=inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )  # fmt: skip
        assert neighbour.stdout is not None and "ready\n" == neighbour.stdout.readline()
        done = subprocess.run(
            [sys.executable, "-m", "outlive", "doctor", "--python", environment.python, "tensorflow-dies-at-import"],
            preexec_fn=inside, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        said, _ = neighbour.communicate("\n", timeout=30)

    assert "lived\n" == said
    assert 1 == done.returncode, done.stderr
    assert "`import tensorflow` killed the process with SIGKILL" in done.stdout


def test_nothing_is_left_behind(outlive: Outlive, environment: Environment) -> None:
    """No process, though the import forks and lives on."""
    environment.write(
        "tensorflow/__init__.py", "import os, time\nif not os.fork(): time.sleep(300)\n"
    )

    done = outlive("doctor", "--python", environment.python, "tensorflow-dies-at-import")

    assert 0 == done.status
    listing = subprocess.run(
        ["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True
    ).stdout
    assert not [
        line
        for line in listing.splitlines()
        if environment.python in line and not line.startswith("Z")
    ]


@pytest.mark.tf
def test_the_environment_of_the_tests_is_healthy(outlive: Outlive) -> None:
    """A real TensorFlow, really imported: nothing of the installation is accused."""
    names = [slug for slug, unit in CHECKS.items() if unit.code.startswith("H5")]

    done = outlive("doctor", "--json", "--python", sys.executable, *names)

    bad = [
        finding["says"]
        for item in json.loads(done.stdout)["checks"]
        for finding in item["findings"]
        if finding["state"] in ("warning", "will fail")
    ]
    assert [] == bad
    assert 0 == done.status
