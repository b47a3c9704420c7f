"""After a death, the verdict names the rule that would have seen it; and nothing else changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Outlive
from made_evidence import MB, evidence
from outlive.coroner.foresight import LARGEST_BYTES, OF_LIMITS, foreseen, forewarned
from outlive.model.events import Cell
from outlive.model.findings import Confidence, Ending, EndingKind, Finding, Place, Verdict
from outlive.model.surroundings_at_death import Circumstances, Room
from outlive.units.unit import check, discover

PROGRAM = """\
import os
import sys

if len(sys.argv) > 9:
    import tensorflow as tf


def main():
    if len(sys.argv) < 9:
        os._exit(7)
    for step in range(1000):
        train(step)


@tf.function
def train(step):
    return step


main()
"""


def verdict(slug: str, line: int, function: str = "", code: str = "", file: str = "train.py", own: bool = True) -> Verdict:  # fmt: skip
    where = Place(file, line, function, code, own)
    finding = Finding("It died.", (), Confidence.LIKELY, where=where, slug=slug)
    return Verdict("a-run", Ending(EndingKind.EXIT, exit_code=7), (finding,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def told(verdict: Verdict, folder: Path) -> list[str]:
    after = foreseen(verdict, str(folder))
    assert after.cause is not None
    return [remedy.text for remedy in after.cause.remedies if "outlive lint" in remedy.text]


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        (verdict("exited-without-cleanup", 10, "main", "os._exit(7)"), "exit-without-cleanup, line 10"),
        (verdict("function-retraced", 16, "train", "def train(step):"), "python-number-into-function, line 12"),
    ],
)  # fmt: skip
def test_the_rule_that_sees_the_cause_near_its_line_is_named(
    folder: Path, before: Verdict, rule: str
) -> None:
    assert [f"Before the next run: `outlive lint` finds this: {rule}."] == told(before, folder)


@pytest.mark.parametrize(
    "before",
    [
        verdict("kept-in-container", 10, "main"),
        verdict("exited-without-cleanup", 40, "<module>", "main()"),
        verdict("exited-without-cleanup", 10, "main", "os._exit(8)"),
        verdict("exited-without-cleanup", 10, "main", file="gone.py"),
        verdict("exited-without-cleanup", 10, "main", file="In [3]"),
        verdict("exited-without-cleanup", 10, "main", own=False),
        verdict("exited-without-cleanup", 999, "main", "os._exit(7)"),
        Verdict("a-run", Ending(EndingKind.SUCCESS)),
    ],
    ids=["another cause", "far away", "changed since", "gone", "a cell", "a library", "beyond the end", "no cause"],
)  # fmt: skip
def test_where_no_rule_saw_it_the_verdict_stays_as_it_is(folder: Path, before: Verdict) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("\nmain()", "\n" * 20 + "\nmain()"))

    assert before == foreseen(before, str(folder))


CELLS = (
    Cell(1, "import os\nimport tensorflow as tf\nos._exit(1)"),
    Cell(None, "os._exit(2)", silent=True),
    Cell(2, "%load_ext x\nx = 1\nos._exit(7)"),
    Cell(3, "os._exit(8)"),
)


def test_a_cell_is_looked_at_with_those_before_it(tmp_path: Path) -> None:
    before = verdict("exited-without-cleanup", 3, "", "os._exit(7)", file="In [2]")

    after = foreseen(before, str(tmp_path), CELLS)

    assert after.cause is not None
    (remedy,) = after.cause.remedies
    assert remedy.text.endswith("`outlive lint` finds this: exit-without-cleanup, In [2], line 3.")
    assert ((), ()) == (remedy.commands, remedy.edits)


@pytest.mark.parametrize("file", ["In [4]", "In [None]", "<string>"])
def test_a_cell_that_is_not_known_changes_nothing(tmp_path: Path, file: str) -> None:
    before = verdict("exited-without-cleanup", 1, "", "", file=file)

    assert before == foreseen(before, str(tmp_path), CELLS)


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.replace("import tensorflow as tf", "pass"),
        PROGRAM + "#" * LARGEST_BYTES,
        PROGRAM + "def",
        "\x00",
    ],
    ids=["no TensorFlow", "too large", "no Python", "no text"],
)
def test_a_file_that_is_not_for_lint_changes_nothing(folder: Path, text: str) -> None:
    (folder / "train.py").write_text(text)
    before = verdict("exited-without-cleanup", 10, "main", "os._exit(7)")

    assert before == foreseen(before, str(folder))


@pytest.mark.death
def test_a_real_death_is_told_with_the_rule_and_kept_with_it(outlive: Outlive) -> None:
    (outlive.folder / "train.py").write_text(PROGRAM.replace("@tf.function\n", ""))

    done = outlive("run", "train.py")
    kept = json.loads(outlive("why", "--json").stdout)

    assert 7 == done.status
    assert "exit-without-cleanup, line 10" in " ".join(outlive("why").stdout.split())
    assert ["outlive lint --select exit-without-cleanup train.py"] == kept["cause"]["remedies"][-1][
        "commands"
    ]


#: A child of a fork waits for a lock whose owner was not forked with it.
HANGS = """\
import os, sys, threading, time

if len(sys.argv) > 9:
    import tensorflow as tf

LOCK = threading.Lock()


def hold():
    with LOCK:
        time.sleep(1)


def work():
    threading.Thread(target=hold).start()
    time.sleep(0.5)
    child = os.fork()
    if child == 0:
        with LOCK:
            os.kill(os.getpid(), 9)
    print("ready", flush=True)
    os.waitpid(child, 0)


work()
"""


@pytest.mark.death
def test_a_hang_is_told_with_the_rule_as_it_lasts_and_when_it_is_asked_about(
    outlive: Outlive,
) -> None:
    rule = "fork-after-tensorflow, line 17."
    script = outlive.script("hangs.py", HANGS)
    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", "--hang-after", "2", str(script)],
        cwd=outlive.folder, env=outlive.environment, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None and process.stderr is not None
            assert "ready\n" == process.stdout.readline()
            told = ""
            while "outlive explain" not in told:
                line = process.stderr.readline()
                assert line, told
                told += line
            asked = json.loads(outlive("why", str(process.pid), "--json").stdout)
            (run,) = outlive.runs
            kept = json.loads((run / "verdict.json").read_text())
        finally:
            os.killpg(process.pid, signal.SIGKILL)

    assert "forked-after-threads" == asked["cause"]["slug"]
    assert asked["cause"]["remedies"][-1]["text"].endswith(rule)
    assert kept["cause"]["remedies"][-1]["text"].endswith(rule), "what was judged as it hung"


def warned(slug: str, **known: object) -> list[str]:
    after = forewarned(verdict(slug, 3), evidence(1, **known))
    assert after.cause is not None
    return [command for remedy in after.cause.remedies for command in remedy.commands]


@pytest.mark.parametrize(("files", "told"), [(64, True), (4096, False)])
def test_the_doctor_is_named_when_it_warns_of_the_limit_that_the_program_had(
    files: int, told: bool
) -> None:
    commands = warned("too-many-open-files", facts={"open files limit": files})

    assert (["outlive doctor open-files-limit-low"] if told else []) == commands


@pytest.mark.parametrize(
    ("point", "total", "told"),
    [("/dev/shm", 64 * MB, True), ("/dev/shm", 4000 * MB, False), ("/tmp", 64 * MB, False)],
)
def test_the_doctor_is_named_for_small_shared_memory(point: str, total: int, told: bool) -> None:
    room = Room(f"{point}/a", point, "tmpfs", 0, total, 10, "named")

    commands = warned("shared-memory-full", circumstances=Circumstances(rooms=(room,)))

    assert told == bool(commands)


def test_the_doctor_is_not_named_for_what_it_cannot_know() -> None:
    assert [] == warned("corrupt-image", facts={"open files limit": 64})
    assert [] == warned("too-many-open-files")


def test_a_check_stands_behind_every_limit_that_is_foretold() -> None:
    prevented = {slug for unit in discover(check) if not unit.needs for slug in unit.prevents}

    assert OF_LIMITS <= prevented
