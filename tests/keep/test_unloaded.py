"""`--bound`, and what `--heal` has skipped or trimmed: where it cannot be loaded in the program, somebody is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import outlive as package
from conftest import Done, Outlive
from outlive.coroner.gather.gather import gather
from outlive.inside.notes import links
from outlive.recorder.store.run_folders import tell_inside

SOURCE = Path(package.__file__).parent
OPS = "tensorflow/python/data/ops"
USES = "import tensorflow\nprint('done')\n"
DIES = "import os, tensorflow\nos.abort()\n"


def imitation(folder: Path, datasets: str | None) -> Path:
    """A TensorFlow as far as Outlive meets it; without the module of datasets, if there is no text for it."""
    (folder / OPS).mkdir(parents=True)
    for name in ("tensorflow/python", "tensorflow/python/data", OPS):
        (folder / name / "__init__.py").write_text("")
    (folder / "tensorflow" / "__init__.py").write_text("import tensorflow.python.data.ops\n")
    if datasets is not None:
        (folder / "tensorflow" / "__init__.py").write_text(f"import {OPS.replace('/', '.')}.dataset_ops\n")  # fmt: skip
        (folder / OPS / "dataset_ops.py").write_text(datasets)
    return folder


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """An Outlive whose parts for `--bound`, skip and trim cannot be loaded."""
    copy = tmp_path / "damaged"
    shutil.copytree(SOURCE, copy / "outlive", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (
        "inside/tfdata/interpose.py",
        "inside/tfdata/load_skipping.py",
        "inside/memory/trim_heap.py",
    ):
        (copy / "outlive" / name).write_text("raise RuntimeError('a part is missing')\n")
    return copy


def run(outlive: Outlive, program: str, *options: str, path: Path) -> Done:
    script = outlive.script("program.py", program)
    return outlive("run", *options, str(script), variables={"PYTHONPATH": str(path)})


def told(outlive: Outlive) -> dict[str, str]:
    gaps: dict[str, str] = json.loads(outlive("why", "--json").stdout)["gaps"]
    return gaps


@pytest.mark.parametrize(
    ("datasets", "why"),
    [
        ("class DatasetSpec: pass\n", "AttributeError: "),
        (None, "tensorflow.python.data.ops.dataset_ops"),
    ],
)
def test_a_tensorflow_that_lacks_what_bound_needs_is_told_in_one_line(
    outlive: Outlive, tmp_path: Path, datasets: str | None, why: str
) -> None:
    done = run(outlive, USES, "--bound", path=imitation(tmp_path / "site", datasets))

    assert (0, "done\n") == (done.status, done.stdout)
    (line,) = done.stderr.splitlines()
    assert line.startswith("outlive: --bound had no effect: ") and why in line
    assert why in told(outlive)["--bound"]


def test_a_damaged_outlive_is_told_where_tensorflow_is_used_and_only_there(
    outlive: Outlive, tmp_path: Path, damaged: Path
) -> None:
    imitation(damaged, "")

    done = run(outlive, USES, "--bound", path=damaged)
    other = run(outlive, "print('done')\n", "--bound", path=damaged)
    quiet = run(outlive, USES, "--bound", "--quiet", path=damaged)

    assert "outlive: --bound had no effect: RuntimeError: a part is missing.\n" == done.stderr
    assert ("done\n", "") == (other.stdout, other.stderr)
    assert ("done\n", "") == (quiet.stdout, quiet.stderr)


@pytest.mark.death
def test_the_verdict_on_a_death_says_it_too(outlive: Outlive, damaged: Path) -> None:
    imitation(damaged, "")

    done = run(outlive, DIES, "--bound", path=damaged)

    assert -6 == done.status
    assert 1 == done.stderr.count("--bound") == done.stderr.count("a part is missing")
    assert "had no effect: RuntimeError: a part is missing" in told(outlive)["--bound"]


def test_skipping_and_trimming_that_cannot_be_loaded_are_in_the_record(
    tmp_path: Path, damaged: Path
) -> None:
    imitation(damaged, "")
    rings = tmp_path / "rings"
    rings.mkdir()
    for link in (links.SKIP, links.TRIM, links.BOUND):
        tell_inside(str(rings), link, str(tmp_path / "log"))
    start = damaged / "outlive" / "inside" / "start" / "path"
    subprocess.run(
        [sys.executable, "-c", f"{USES}import os; os._exit(3)"],
        env=os.environ
        | {"PYTHONPATH": f"{start}{os.pathsep}{damaged}", "OUTLIVE_RECORD_FOLDER": str(rings)},
        timeout=60,
        check=False,
    )

    gaps = gather([], str(rings)).run.gaps

    why = "had no effect: RuntimeError: a part is missing"
    assert {"--bound": why, "skipping bad input": why, "trimming the heap": why} == {
        name: gaps[name] for name in gaps if why == gaps[name]
    }


def test_a_secret_in_the_reason_is_masked(outlive: Outlive, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    site = imitation(
        tmp_path / "site", f"def __getattr__(name):\n    raise AttributeError('no {token}')\n"
    )

    done = run(outlive, USES, "--bound", path=site)

    assert "AttributeError: no ***" in done.stderr and "a1B2" not in done.stderr
    assert "a1B2" not in str(told(outlive))
