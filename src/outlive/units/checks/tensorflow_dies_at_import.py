"""The import itself ends badly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.fact_names import FILE, PYTHON, SECONDS
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import Trial
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

MODULES = ("numpy", "tensorflow")

#: Lines that say why, among many that do not.
TELLING = re.compile(
    r"^\S{0,200}(?:Error|Exception)\b|compiled to use .{0,200} instructions|Check failed|^Fatal "
)


@check(
    "H502",
    since="0.2",
    needs=("python", "imports"),
    prevents=("illegal-instruction", "uncaught-exception", "native-op-crashed", "tf-check-failed"),
)
def tensorflow_dies_at_import(here: Surroundings) -> Iterator[Finding]:
    """`import tensorflow` fails or kills the process (tried in a child process).

    ## Why it matters
    Your program will fail in its first line in the same way. An import that raises says why; one that is killed by a
    signal says nothing: a notebook shows "The kernel appears to have died".

    ## What to do
    The other checks of the installation usually name the reason. If none does, install TensorFlow in a new environment.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    trials = [here.python.trials[name] for name in MODULES if name in here.python.trials]
    if not any(trial.module == "tensorflow" for trial in trials):
        why = "" if here.python.tensorflow_places else ": it is not installed"
        yield here.unsure(f"Importing TensorFlow was not tried{why}.")
    for trial in trials:
        if trial.lived:
            continue
        yield here.will_fail(
            f"`import {trial.module}` {_ending(trial)}.",
            Fact("it said last", _last_words(trial), "stderr of the child process"),
            Fact(SECONDS, trial.seconds, "a child process that imported it"),
            remedies=(
                Remedy(
                    "Reinstall it in a new environment, if no other check names the reason.",
                    (
                        f"{here.python.executable} -m venv fresh",
                        "fresh/bin/python -m pip install tensorflow",
                    ),
                ),
            ),
        )
    for trial in trials:
        if trial.lived and trial.module == "tensorflow":
            version = trial.answers.get("version")
            name = f"TensorFlow {version}" if version else "TensorFlow"
            yield here.fine(
                f"{name} imports ({trial.seconds:g} s).",
                Fact(FILE, trial.answers.get("file"), "a child process that imported it"),
            )


def _ending(trial: Trial) -> str:
    if trial.timed_out:
        return f"did not finish within {trial.seconds:.0f} s"
    if trial.signal:
        return f"killed the process with {trial.signal}"
    return (
        f"failed: {trial.error}"
        if trial.error
        else f"ended the process with status {trial.exit_code}"
    )


def _last_words(trial: Trial) -> str:
    lines = [line.strip() for line in trial.said.splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line)]
    return (telling or lines or ["nothing"])[-1]
