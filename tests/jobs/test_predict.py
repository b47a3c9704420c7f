"""``outlive.predict``: any function, in a worker that may die."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import zipfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy
import pytest

import outlive
from outlive.errors import UsageError
from outlive.jobs.predict.api import _task
from outlive.jobs.predict.plain import from_plain, to_plain


def double(inputs: list[Any]) -> list[Any]:
    """Runs in the worker."""
    for one in inputs:
        if isinstance(one, str):
            os.kill(os.getpid(), signal.SIGSEGV) if one == "deadly" else int(one)
    return [numpy.asarray(one) * 2 if not isinstance(one, str) else 2 * int(one) for one in inputs]


def too_few(inputs: list[Any]) -> list[Any]:
    return inputs[1:]


def collect(inputs: list[Any]) -> list[Any]:
    """Keep more than the address space of the worker has room for."""
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = now + 100_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    kept = []
    while True:
        kept.append(bytes(inputs[0]))


@pytest.mark.death
def test_a_worker_is_told_the_limit_that_a_shell_would_be_told() -> None:
    for found in outlive.predict(f"{__name__}:collect", [1_000_000, 400]):
        assert found.verdict is not None and found.verdict.cause is not None
        assert "address-space-limit" == found.verdict.cause.slug
        facts = {fact.name: fact.value for fact in found.verdict.cause.because}
        assert 0.9 < facts["address space"] / facts["address space limit"] <= 1


@pytest.mark.death
def test_every_input_has_its_value_or_its_verdict() -> None:
    inputs = ["1", "deadly", "3", "no number", "5"]

    found = {one.index: one for one in outlive.predict(f"{__name__}:double", inputs)}

    assert {0: 2, 2: 6, 4: 10} == {at: one.value for at, one in found.items() if one.good}
    assert ["deadly", "no number"] == [found[at].item for at in (1, 3)]
    verdict = found[3].verdict
    assert verdict is not None and verdict.cause is not None
    assert ("uncaught-exception", "double") == (
        verdict.cause.slug,
        verdict.cause.where.function if verdict.cause.where else "",
    )
    assert found[1].verdict is not None and "SIGSEGV" == found[1].verdict.ending.signal


#: It has no shape: it is known as a secret because a variable with a telling name holds it.
PASSWORD = "correct-horse-battery"


def refuse(inputs: list[Any]) -> list[Any]:
    if inputs == ["crash"]:
        sys.stderr.write(f"connecting with {os.environ['DB_PASSWORD']}\n")
        os.abort()
    raise ValueError(f"{os.environ['DB_PASSWORD']} was refused")


@pytest.mark.death
def test_a_secret_that_is_known_by_its_value_alone_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", PASSWORD)

    found = list(
        outlive.predict(f"{__name__}:refuse", ["crash", "1", PASSWORD], out=str(tmp_path / "out"))
    )

    verdicts = [one.verdict for one in found]
    assert [True] * 3 == [verdict is not None and verdict.cause is not None for verdict in verdicts]
    assert "was refused" in str(verdicts)
    assert PASSWORD not in str(verdicts)


def test_arrays_of_one_shape_go_together_and_come_back_from_the_journal(tmp_path: Path) -> None:
    arrays = [numpy.full((2 + number % 2, 3), number, "float32") for number in range(20)]
    out = str(tmp_path / "kept")
    half = {one.index for one in islice(outlive.predict(double, arrays, out=out), 7)}

    whole = {one.index: one.value for one in outlive.predict(double, arrays, out=out, resume=True)}

    assert half <= set(whole) == set(range(20))
    for number, value in whole.items():
        assert numpy.array_equal(arrays[number] * 2, value)
        assert "float32" == str(value.dtype)


def test_a_function_that_gives_too_few_values_is_told() -> None:
    (only,) = outlive.predict(too_few, ["1"])

    assert only.verdict is not None and only.verdict.cause is not None
    assert "0 values for 1 inputs" in only.verdict.cause.says


def test_a_function_that_no_other_process_can_find_is_refused() -> None:
    with pytest.raises(UsageError, match="lambda"):
        list(outlive.predict(lambda inputs: inputs, [1]))


class Saved:
    """As Keras saves a model: with the time."""

    def __init__(self, weights: bytes) -> None:
        self.weights = weights
        self.times = 0

    def save(self, path: str) -> None:
        self.times += 1
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("metadata.json", f"{self.times}")
            archive.writestr("model.weights.h5", self.weights)

    def predict(self) -> None: ...


def test_a_model_is_known_again_by_what_it_holds(tmp_path: Path) -> None:
    one, other = Saved(b"1"), Saved(b"2")
    folder = str(tmp_path)

    assert _task(one, folder)[1] == _task(one, folder)[1] != _task(other, folder)[1]

    (tmp_path / "model.tflite").write_bytes(b"before")
    before = _task(tmp_path / "model.tflite", folder)[1]
    (tmp_path / "model.tflite").write_bytes(b"after!")
    assert before != _task(tmp_path / "model.tflite", folder)[1]


SCRIPT = """
import outlive

FACTOR = 3

def triple(inputs):
    return [FACTOR * one for one in inputs]

if __name__ == "__main__":
    print(sorted(one.value for one in outlive.predict(triple, range(5))))
"""


def test_a_function_of_the_script_itself_is_found(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)

    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert "[0, 3, 6, 9, 12]" == done.stdout.strip(), done.stderr


def test_values_survive_json() -> None:
    value = {"a": [1, 2.5, None, "x"], "b": numpy.arange(6).reshape(2, 3), "c": numpy.float32(0.5)}

    back = from_plain(to_plain(value))

    assert value["a"] == back["a"]
    assert numpy.array_equal(value["b"], back["b"])
    assert 0.5 == float(back["c"])
    with pytest.raises(TypeError, match="object"):
        to_plain(object())
