"""One measurement of each section: start the program under the subject, and bring back the values."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from environments import Environment
from launch import (
    DidNotEnd,
    Finished,
    Surroundings,
    run,
    run_and_keep_looking,
    run_and_look_at_the_end,
    run_through_pipe,
)
from plan import JUDGING, NOTHING, WITH_TENSORFLOW, needs_tensorflow
from results import WARM_UP, Measurement, Task
from subjects import OUTLIVE, SUBJECTS

HERE = Path(__file__).resolve().parent
WORKLOADS = HERE / "workloads"
PROGRAMS = HERE / "programs"

#: Of the full amount of work; also that of every warm-up round, which is there to fill caches and to find what fails.
QUICK_SCALE = 0.04
DEADLINE = 1800.0
QUICK_DEADLINE = 300.0
MEGABYTES = 200

#: The same for all, so that no machine's habits decide: quiet logs, no GPU, no hash seed of the day.
FIXED_VARIABLES = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "CUDA_VISIBLE_DEVICES": "-1",
    "PYTHONHASHSEED": "0",
}
DROPPED_VARIABLES = re.compile(
    "OUTLIVE_|BENCH_|PYTHON(PATH|STARTUP|HOME|PROFILEIMPORTTIME|DEVMODE)$"
)

EXPECTED_STATUS = {"SIGKILL": -9, "SIGSEGV": -11, "exception": 1}


class Failed(Exception):
    """The subject could not do it; the text is what the report says."""


@dataclass(frozen=True)
class Bench:
    """What the measurements share."""

    environments: Mapping[str, Environment]  #: by subject
    quick: bool


def measure(bench: Bench, task: Task) -> Measurement:
    """Do one task. A subject that fails is a result, not the end of the bench."""
    environment = bench.environments[task.subject]
    if environment.problem:
        return Measurement(task, failure=environment.problem)
    if needs_tensorflow(task.case) and not environment.has_tensorflow:
        return Measurement(task, failure="needs TensorFlow")
    try:
        with tempfile.TemporaryDirectory(
            prefix="outlive-bench-", ignore_cleanup_errors=True
        ) as folder:
            return Measurement(task, MEASURES[task.section](_Run(bench, task, Path(folder))))
    except Failed as failure:
        return Measurement(task, failure=str(failure))
    except DidNotEnd:
        return Measurement(task, failure="fails: it did not end")
    except OSError as error:
        return Measurement(task, failure=f"fails: {error.strerror}")


class _Run:
    """A task in a folder of its own."""

    def __init__(self, bench: Bench, task: Task, folder: Path) -> None:
        self.task = task
        self.small = bench.quick or task.round == WARM_UP
        self.output = folder / "output"
        self.home = folder / "outlive"
        self._work = folder / "work"
        self._python = bench.environments[task.subject].python
        self.output.mkdir()
        self._work.mkdir()

    def command(self, *program: str | Path) -> list[str]:
        """The program under the subject."""
        words = [str(word) for word in program]
        return SUBJECTS[self.task.subject].command(self._python, self.output, words)

    def surroundings(self, **variables: str) -> Surroundings:
        """Where to run it."""
        environment = {
            name: value for name, value in os.environ.items() if not DROPPED_VARIABLES.match(name)
        }
        environment |= FIXED_VARIABLES
        environment |= {"OUTLIVE_HOME": str(self.home), **variables}
        if self.small:
            environment["BENCH_SCALE"] = str(QUICK_SCALE)
        deadline = QUICK_DEADLINE if self.small else DEADLINE
        return Surroundings(self._work, environment, deadline)


def workload(one: _Run) -> dict[str, float]:
    """The loop's own times, and those of the whole process."""
    finished = run(one.command(WORKLOADS / f"{one.task.case}.py"), one.surroundings())
    _expect(finished, 0)
    return {
        **_loop_times(finished),
        "whole": finished.seconds,
        "whole_cpu": finished.cpu_seconds,
    }


def own_time(one: _Run) -> dict[str, float]:
    """What the recorder uses of one core while the loop runs: the load of the machine does not change it."""
    program = one.command(WORKLOADS / f"{one.task.case}.py")
    finished = run(program, one.surroundings(BENCH_COUNT="1"))
    _expect(finished, 0)
    times = _loop_times(finished)
    return {"share": times["recorder_cpu"] / times["loop"], "seconds": times["recorder_cpu"]}


def start_up(one: _Run) -> dict[str, float]:
    """From the launch to the first line, or of everything when there is no line at all."""
    if one.task.case == NOTHING:
        finished = run(one.command("-c", "pass"), one.surroundings())
        _expect(finished, 0)
        return {"seconds": finished.seconds}
    finished = run(one.command(PROGRAMS / "first_line.py"), one.surroundings())
    _expect(finished, 0)
    return {"seconds": (int(finished.output) - finished.started_ns) / 1e9}


def memory(one: _Run) -> dict[str, float]:
    """The supervisor's peak, read while the program waits at its end, or until it has judged a death."""
    if one.task.case == JUDGING:
        died = one.home.parent / "died"
        finished = run_and_keep_looking(
            one.command(PROGRAMS / "dies.py", "exception", died), one.surroundings()
        )
        _expect(finished, 1)
    else:
        program = one.command(WORKLOADS / f"{one.task.case}.py")
        finished = run_and_look_at_the_end(program, one.surroundings(BENCH_HOLD="1"))
        _expect(finished, 0)
        _loop_times(
            finished
        )  # what was read is the peak of a program at work only if it did its work
    if not finished.peak_rss:
        raise Failed("fails: no peak could be read")
    return {"bytes": float(finished.peak_rss)}


def verdict(one: _Run) -> dict[str, float]:
    """From the death to the end of the launched process."""
    died = one.home.parent / "died"
    way = one.task.case.removesuffix(WITH_TENSORFLOW)
    libraries = ["tensorflow"] if one.task.case.endswith(WITH_TENSORFLOW) else []
    finished = run(one.command(PROGRAMS / "dies.py", way, died, *libraries), one.surroundings())
    _expect(finished, EXPECTED_STATUS[way])
    if one.task.subject == OUTLIVE and not any(one.home.glob("runs/*/verdict.json")):
        raise Failed("fails: no verdict was made")
    return {"seconds": (finished.ended_ns - int(died.read_text())) / 1e9}


def output(one: _Run) -> dict[str, float]:
    """From the first to the last byte that arrives: start-up is another question."""
    program = one.command(PROGRAMS / "writes.py", str(MEGABYTES))
    finished = run_through_pipe(program, one.surroundings())
    _expect(finished, 0)
    if finished.bytes_written != MEGABYTES * 1_000_000:
        raise Failed(f"fails: {finished.bytes_written} bytes arrived of {MEGABYTES} MB")
    seconds = (finished.last_byte_ns - finished.first_byte_ns) / 1e9
    return {"seconds": seconds, "megabytes_per_second": MEGABYTES / seconds}


MEASURES: Mapping[str, Callable[[_Run], dict[str, float]]] = {
    "workloads": workload,
    "own-time": own_time,
    "start-up": start_up,
    "memory": memory,
    "verdict": verdict,
    "output": output,
}


def _loop_times(finished: Finished) -> dict[str, float]:
    """The workload's own line; profilers print theirs around it."""
    for line in reversed(finished.output.splitlines()):
        if line.startswith('{"loop"'):
            return dict(json.loads(line))
    raise Failed(_failure(finished))


def _expect(finished: Finished, status: int) -> None:
    if finished.status != status:
        raise Failed(_failure(finished))


def _failure(finished: Finished) -> str:
    """The last thing that was said, without anything that tells where this machine keeps its files."""
    lines = [line.strip() for line in (finished.errors or finished.output).splitlines()]
    said = next((line for line in reversed(lines) if line), "")
    how = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
    return f"fails: {without_folders(said)[:100] or how}"


def without_folders(text: str) -> str:
    """Paths shortened to the name of the file."""
    return re.sub(r"(?:~|\.{0,2})/[^\s'\":,;()]*/", "", text)
