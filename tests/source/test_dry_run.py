"""The dry run: what it says that TensorFlow refuses, TensorFlow refuses at that line; and of what runs to its end it says nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.model.findings import Confidence
from outlive.source.dry_run import allowed
from outlive.source.dry_run.questions import Nobody, Questions
from outlive.source.dry_run.things import Const
from outlive.source.dry_run.walk import dry_run
from outlive.source.lint import oracle
from outlive.source.lint.check import every_rule, judge
from outlive.source.lint.oracle import ANSWER, Answers
from outlive.source.lint.settings import Answering, Settings
from outlive.source.parsed import Machine
from outlive.source.tree import new_tree

FOLDER = Path(__file__).parent.parent / "dry_runs"
PROGRAMS = sorted(FOLDER.glob("*.py"))
ESSAYS = Path(__file__).parent.parent.parent.parent / "shared" / "essays"
REFUSED = re.compile(r"#\s*refused:\s*([\w-]+)")

needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not installed"
)

#: Runs each program that is named, and tells at which of its lines an exception came out.
RUN_ALL = """
import contextlib, io, json, runpy, sys, traceback
ends = {}
for path in sys.argv[1:]:
    ends[path] = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(path, run_name="__main__")
    except Exception as error:
        lines = [it.lineno for it in traceback.extract_tb(error.__traceback__) if it.filename == path]
        ends[path] = lines[-1] if lines else -1
print(json.dumps(ends))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """TensorFlow in a child, with a folder of its own for its answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUTLIVE_HOME", str(tmp_path_factory.mktemp("answers")))
        found = Answers("")
        found.may_start = True
        yield found
        found.close()


def marked(path: Path) -> dict[int, str]:
    lines = path.read_text().splitlines()
    found = ((number, REFUSED.search(line)) for number, line in enumerate(lines, 1))
    return {number: mark[1] for number, mark in found if mark}


def refused(text: str, answers: Answers) -> dict[int, str]:
    run = dry_run(new_tree(text), text, answers)
    assert not run.questions.unasked
    return {getattr(it.node, "lineno", 0): it.kind for it in run.troubles if it.sure}


@needs_tensorflow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_exactly_the_marked_lines_are_refused(path: Path, answers: Answers) -> None:
    assert marked(path) == refused(path.read_text(), answers)


@needs_tensorflow
def test_tensorflow_ends_the_programs_at_the_marked_lines_and_no_others(tmp_path: Path) -> None:
    paths = [str(path) for path in PROGRAMS]
    ran = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *paths],
        cwd=tmp_path, capture_output=True, text=True, check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )  # fmt: skip

    ends = json.loads(ran.stdout.splitlines()[-1])

    assert {path: next(iter(marked(Path(path))), None) for path in paths} == ends


def test_without_tensorflow_nothing_is_refused_and_the_open_questions_are_counted() -> None:
    text = "import keras\nimport numpy as np\nkeras.Sequential([keras.layers.Dense(3)])(np.ones((2, 2)))\n"

    run = dry_run(new_tree(text), text, Nobody())

    assert [] == run.troubles
    assert 0 < run.questions.unasked


@needs_tensorflow
def test_an_answer_is_kept_and_no_second_child_is_started(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FOLDER / "own_model.py"
    first = refused(path.read_text(), answers)
    monkeypatch.setattr(oracle, "_Child", None)
    again = Answers("")
    again.may_start = True

    assert marked(path) == first == refused(path.read_text(), again)


@needs_tensorflow
def test_a_child_that_is_killed_leaves_questions_open_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path))
    found = Answers("")
    found.may_start = True
    refused((FOLDER / "two_types.py").read_text(), found)
    assert found._child is not None
    os.kill(found._child._process.pid, signal.SIGKILL)
    text = (FOLDER / "own_model.py").read_text()

    run = dry_run(new_tree(text), text, found)

    assert [] == run.troubles and run.questions.unasked
    assert "TensorFlow's process ended" == found.why


@needs_tensorflow
def test_weights_larger_than_the_memory_are_added_up_and_none_are_made(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "answers_of", lambda python: answers)
    text = "import keras\nmodel = keras.Sequential([keras.Input((802816,)), keras.layers.Dense(16384)])\nmodel.summary()\n"
    settings = Settings(
        ("array-larger-than-memory",),
        machine=Machine(memory_bytes=8_000_000_000),
        answers=Answering.TENSORFLOW,
    )

    told = judge("train.py", text, settings)

    (finding,) = told.findings
    assert finding.where is not None and 2 == finding.where.line
    assert "52.6 GB" in finding.says and "802816×16384" in finding.says


#: What would do something, or is nobody's business.
FORBIDDEN = (
    "tensorflow.io.write_file", "tensorflow.py_function", "tensorflow.numpy_function", "tensorflow.load_op_library", "tensorflow.io.gfile.remove",
    "tensorflow.keras.layers.Lambda", "tensorflow.keras.models.load_model", "tensorflow.python.framework.ops.device", "keras.src.utils.file_utils.get_file",
    "keras.layers.TFSMLayer", "tensorflow.compat.v1.disable_v2_behavior", "tensorflow.config.set_visible_devices", "os.system", "builtins.exec",
    "tensorflow.nn.__builtins__", "tensorflow.sysconfig.get_lib", "keras.utils.get_file", "tensorflow.saved_model.load",
)  # fmt: skip


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_has_effects_is_not_asked(name: str) -> None:
    from outlive.source.names import canonical

    assert not allowed.is_allowed(canonical(name))
    assert not allowed.is_harmless_word(canonical(name))


@needs_tensorflow
def test_the_child_itself_refuses_what_has_effects(tmp_path: Path) -> None:
    questions = Questions(Nobody())
    keys = [questions.step(name, Const(str(tmp_path / "made")), Const("x")) for name in FORBIDDEN]
    lines = [json.dumps({"key": key, "steps": questions._steps}) for key in keys]

    ran = subprocess.run(
        [sys.executable, ANSWER, allowed.__file__], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip

    ready, *told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {"ready": 1} == ready
    assert len(FORBIDDEN) == len(told) and all("unknown" in it for it in told)
    assert [] == [*tmp_path.iterdir()]


@needs_tensorflow
def test_nothing_of_the_users_is_run_or_imported(outlive: Outlive) -> None:
    text = "open('ran', 'w').close()\nimport tensorflow as tf\nprint(tf.ones([2]) + tf.ones([3], tf.int32))\n"
    (outlive.folder / "train.py").write_text(text)
    for name in ("numpy", "json", "tensorflow", "keras", "operator"):
        (outlive.folder / f"{name}.py").write_text("open('imported', 'w').close()\n")

    done = outlive("lint", "train.py", seconds=180)

    assert 1 == done.status and "train.py:3" in done.stdout
    assert not (outlive.folder / "ran").exists() and not (outlive.folder / "imported").exists()


def test_a_python_without_tensorflow_is_named_in_one_line_and_in_json(outlive: Outlive) -> None:
    python = outlive.folder / "python"
    python.write_text('#!/bin/sh\necho \'["", "", ""]\'\n')
    python.chmod(0o755)
    (outlive.folder / "train.py").write_text((FOLDER / "own_model.py").read_text())

    done = outlive("lint", "--python", str(python), "train.py")
    told = json.loads(
        outlive("lint", "--python", str(python), "--format", "json", "train.py").stdout
    )

    assert 0 == done.status
    assert f"not answered: {python} has no TensorFlow" in done.stderr
    assert told["unasked"]["questions"] > 0 and "has no TensorFlow" in told["unasked"]["why"]


def test_a_file_without_a_question_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "_versions_here", lambda: pytest.fail("the version was looked up"))
    monkeypatch.setattr(oracle, "answers_of", lambda python: Answers(python))
    text = "import tensorflow as tf\nweights = tf.ones([3, 4])\nprint(tf.matmul(tf.ones([2, 3]), weights) * 2)\n"
    settings = Settings(tuple(it.slug for it in every_rule()), answers=Answering.TENSORFLOW)

    told = judge("train.py", text, settings)

    assert () == told.findings and 0 == told.unasked


#: What is to be said of the essays at the usual confidence: line and rule.
OF_ESSAYS = {
    "000_1": {(5, "array-made-twice")},
    "000_2": {(12, "undefined-name")},
    "000_3": set(),
    "001_1": {(5, "array-made-twice"), (10, "shapes-do-not-fit"), (14, "eager-tensor-in-session")},
    "001_2": {(6, "undefined-name"), (6, "large-sum-in-list")},
    "001_3": set(),
    "002_1": set(),
    "002_2": set(),
    "002_3": set(),
    "003_1": {(6, "picture-without-a-rank")},
    "003_2": set(),
    "003_3": set(),
    "004_1": {(6, "undefined-name"), (7, "undefined-name"), (8, "undefined-name")},
    "004_2": {(6, "undefined-name"), (7, "undefined-name"), (8, "undefined-name")},
    "004_3": {(6, "undefined-name"), (9, "undefined-name")},
}  # fmt: skip


@needs_tensorflow
@pytest.mark.parametrize("name", OF_ESSAYS)
def test_of_the_essays_programs_the_expected_is_said_and_no_more(
    name: str, monkeypatch: pytest.MonkeyPatch, answers: Answers
) -> None:
    path = ESSAYS / f"essay{name}.py"
    if not path.exists():
        pytest.skip(f"the essays are not in {ESSAYS}")
    monkeypatch.setattr(oracle, "answers_of", lambda python: answers)
    settings = Settings(
        tuple(it.slug for it in every_rule()),
        confidence=Confidence.LIKELY,
        answers=Answering.TENSORFLOW,
    )

    told = judge(str(path), path.read_text(), settings)

    assert OF_ESSAYS[name] <= {(it.where.line, it.slug) for it in told.findings if it.where}
    extra = {it.slug for it in told.findings} - {slug for _, slug in OF_ESSAYS[name]}
    assert not extra & {it.slug for it in every_rule() if it.code.startswith("R6")}
