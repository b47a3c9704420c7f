"""Every program in `programs/same` does the same, bare and watched: status, words, files, terminal; `comparing` says how it tells of itself.

`make test` runs a fixed sample; `make harmless` runs all of them on all Pythons, and writes down what it saw.
"""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harmless.comparing import (
    FOLDER,
    ROOT,
    Program,
    Seen,
    command,
    differences,
    every_python,
    files_in,
    given,
    programs,
    this_python,
    typed,
    variables,
    want,
    wrong_by_itself,
)

#: Up to three runs, each of which may hang.
pytestmark = pytest.mark.timeout(240)

PYTHONS = every_python()
OTHERS = [version for version in PYTHONS if version != this_python()]
SAMPLE = [program for program in programs() if program.in_sample]

#: Every program of the sample runs on one other Python too; which one depends on its name alone.
ELSEWHERE = [
    (program, OTHERS[zlib.crc32(program.name.encode()) % len(OTHERS)])
    for program in SAMPLE
    if OTHERS and "ci" in program.said
]
WHOLE = [(program, version) for version in PYTHONS for program in programs()]

#: A run that takes longer hangs. The slowest, TensorFlow's, needs 15 s on a busy machine.
HUNG_SECONDS = float(os.environ.get("OUTLIVE_HUNG_SECONDS", "50"))


def share(every: int) -> list[tuple[Program, str]]:
    """Every Nth program in the order of the folders, on each Python from another start: together they run all.

    All Pythons advance together, so that a run that is ended early has seen as much of each.
    """
    shift = {version: number % every for number, version in enumerate(PYTHONS)}
    numbered = {program: number for number, program in enumerate(programs())}
    wanted = [one for one in WHOLE if (numbered[one[0]] + shift[one[1]]) % every == 0]
    return sorted(wanted, key=lambda one: numbered[one[0]])


def name_of(value: object) -> str:
    return value.name if isinstance(value, Program) else str(value)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short name (sockets allow 107 characters) that is the same for every run of a test."""
    made = Path(tempfile.mkdtemp(prefix="same-", dir="/tmp"))
    yield made
    subprocess.run(["chmod", "-R", "u+rwx", str(made)], check=False)
    shutil.rmtree(made)


@pytest.fixture
def see(runner: Any, terminal: Any, place: Path) -> Callable[..., Seen]:
    """Run a program in fresh folders, bare or watched, on a terminal if it wants one."""

    def see(program: Program, python: str, watched: bool) -> Seen:
        fresh = place / "run"
        for name in ("work", "home", "tmp"):
            (fresh / name).mkdir(parents=True)
        environment = runner.environment(
            HOME=str(fresh / "home"), TMPDIR=str(fresh / "tmp"), **variables(program)
        )
        words = command(program, python)
        words = runner.command(*words, switches=["--quiet"]) if watched else words
        before = time.monotonic()
        on = on_terminal if "terminal" in program.said else on_pipes
        seen = on(program, words, environment, fresh / "work")
        took = time.monotonic() - before
        seen = seen._replace(files=files_in(fresh), seconds=took)
        fresh.rename(place / f"run-{len(list(place.iterdir()))}")
        return seen

    def on_pipes(program: Program, words: list[str], environment: Any, folder: Path) -> Seen:
        """In the process group of somebody else, as what a script or a service starts; all of the group is ended afterwards."""
        leader = runner.start(["sleep", "3600"], start_new_session=False, preexec_fn=os.setpgrp)
        child = runner.start(
            words,
            env=environment,
            cwd=folder,
            start_new_session=False,
            preexec_fn=functools.partial(os.setpgid, 0, leader.pid),
        )
        try:
            stdout, stderr = child.communicate(given(program), timeout=HUNG_SECONDS)
            return Seen(child.returncode, stdout, stderr, {})
        except subprocess.TimeoutExpired:
            child.kill()
            return Seen("hung", b"", b"", {})
        finally:
            os.killpg(leader.pid, signal.SIGKILL)
            child.wait()

    def on_terminal(program: Program, words: list[str], environment: Any, folder: Path) -> Seen:
        job = [PYTHONS[this_python()], "-I", str(FOLDER.parent / "job.py")]
        words = [*job, *words] if program.first("terminal") == "job" else words
        opened = terminal(*words, cwd=folder, env=environment | {"TERM": "dumb"})
        for count, text in enumerate(typed(program), 1):
            opened.wait_for("<ready>", count)
            opened.type(text)
        settings = opened.attributes_at_end()
        if settings is None:
            return Seen("hung", b"", b"", {})
        return Seen(opened.finish(), opened.seen, b"", {}, settings)

    return see


def compare(
    program: Program,
    version: str,
    see: Callable[..., Seen],
    note: Callable[[str, object], None],
    twice: bool = False,
) -> None:
    """Run bare and watched; a documented difference must be there, any other must not.

    Where there is another one, or figures are wanted (``twice``), it is run bare once more: two bare runs may differ, too.
    """
    python = PYTHONS[version]
    missing = want(program, version, python)
    if missing:
        pytest.skip(missing)
    documented = set(program.documented_on(version))
    for _ in range(1 if twice else 3):  # two bare runs that differ are no measure: others are made
        bare, watched = (see(program, python, watched=is_watched) for is_watched in (False, True))
        found = differences(program, bare, watched)
        once_more = twice or set(found) != documented
        again = see(program, python, watched=False) if once_more else bare
        noise = wrong_by_itself(program, bare, again)
        if not noise:
            break
    kind = "noise" if noise else _kind(documented, set(found))
    differing = "\n".join(f"{part}\n  bare:    {how}" for part, how in found.items())
    took = _figures(program, bare, again, watched)
    note("same", [program.name, version, kind, *took, noise or differing])
    assert not noise, noise
    assert documented == set(found), differing or "documented, but no longer so"


def _kind(documented: set[str], found: set[str]) -> str:
    if documented != found:
        return "differs"
    return "documented" if found else "same"


def _figures(program: Program, *seen: Seen) -> list[float]:
    """Seconds bare and watched; of a program that measures itself, what it measured."""
    measures = "measures" in program.said and all(one.status == 0 for one in seen)
    bare, again, watched = (one.measure if measures else one.seconds for one in seen)
    return [round(min(bare, again), 3), round(watched, 3)]


@pytest.mark.death
@pytest.mark.parametrize("program", SAMPLE, ids=name_of)
def test_a_program_does_the_same_bare_and_watched(program, see, record_property):
    compare(program, this_python(), see, record_property)


@pytest.mark.death
@pytest.mark.parametrize(("program", "version"), ELSEWHERE, ids=name_of)
def test_a_program_does_the_same_on_other_pythons(program, version, see, record_property):
    compare(program, version, see, record_property)


def pytest_generate_tests(metafunc):
    """Thousands of cases are made only where they are wanted: to collect them takes seconds."""
    if metafunc.definition.get_closest_marker("harmless"):
        every = metafunc.config.getoption("--every")
        cases = share(every) if metafunc.config.getoption("--harmless") else WHOLE[:1]
        metafunc.parametrize(("program", "version"), cases, ids=name_of)


@pytest.mark.harmless
def test_every_program_does_the_same_on_every_python(program, version, see, record_property):
    compare(program, version, see, record_property, twice=True)


def test_no_program_hides_a_module():
    names = {program.path.stem for program in programs()}

    assert set() == names & set(sys.stdlib_module_names)


def test_there_are_enough_programs():
    assert 410 <= len(programs())


def test_every_documented_difference_is_in_the_manual():
    page = (ROOT / "docs" / "what-is-inside.md").read_text(encoding="utf-8")
    documented = [program for program in programs() if program.documented]

    missing = [program.name for program in documented if f"`{program.name}`" not in page]

    assert [] == missing
