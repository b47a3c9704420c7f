"""The benchmark of deaths: what counts as right, what the baselines conclude, and that one real death goes through it."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent.parent / "bench"
sys.path += [str(BENCH / "deaths"), str(BENCH)]

import score  # noqa: E402
from groups import GROUP_OF, NOTHING  # noqa: E402
from marks import Row, mark, played_by_all, tables  # noqa: E402
from perform import NotPlayed, check_ending  # noqa: E402
from tool import Answer, Ended, Tool, WrongUsage, load, names  # noqa: E402

from outlive.units.unit import cause, discover  # noqa: E402
from victim_runner import Victim, victims  # noqa: E402

RAISED = """Traceback (most recent call last):
  File "/w/play.py", line 10, in <module>
  File "/w/train.py", line 30, in die
    step()
  File "/w/train.py", line 12, in step
    model.fit(x)
  File "/lib/keras/trainer.py", line 99, in fit
{}
"""
DUMP = """Fatal Python error: Segmentation fault

Thread 0x01 (most recent call first):
  File "/w/train.py", line 5 in feed

Current thread 0x02 (most recent call first):
  File "/lib/ctypes/__init__.py", line 519 in string_at
  File "/w/train.py", line 12 in step
  File "/w/train.py", line 30 in die
"""


def row(
    tool: str = "a",
    expected: str = "deadlocked",
    said: str | None = None,
    line: int | None = None,
    act: str = "die",
    victim: str = "v",
) -> Row:
    return Row(tool, "victims", victim, act, expected, [7, 9], said, line)


def ended(status: int, stderr: str = "", **more: object) -> Ended:
    return Ended(status, stderr, "train.py", Path("nowhere"), **more)  # type: ignore[arg-type]


def test_every_grouped_name_is_a_cause_and_every_victim_is_answerable() -> None:
    causes = {unit.slug for unit in discover(cause)} | {NOTHING}

    assert GROUP_OF.keys() <= causes
    for folder in score.SETS.values():
        assert victims(folder)
        assert {victim.expected[0] for victim in victims(folder)} <= causes


def test_only_its_own_name_is_right_for_a_cause_without_a_group() -> None:
    said = [row(said=name, expected="new-cause") for name in ("new-cause", "other-new", None)]

    assert [True, False, False] == [judged.group_is_right for judged in said]
    assert ("without a group", "3", "1") == tables(said)[1].rows[0]


def test_the_quick_sample_is_there_and_a_quarter_of_it_needs_tensorflow() -> None:
    sample = {v.name: v for v in victims() if v.name in score.QUICK}

    assert set(score.QUICK) == sample.keys()
    needing = [v for v in sample.values() if "tensorflow" in v.header.get("needs", "")]
    assert (16, 4) == (len(sample), len(needing))


@pytest.mark.parametrize(
    ("said", "expected", "right", "group"),
    [
        ("deadlocked", "deadlocked", True, True),
        ("waiting-forever", "deadlocked", False, True),
        ("memory-limit-reached", "deadlocked", False, False),
        ("no-such-cause", "deadlocked", False, False),
        (None, "deadlocked", False, False),
        (None, "nothing", True, True),
        ("deadlocked", "nothing", False, False),
    ],
)
def test_a_cause_is_right_exactly_and_a_group_roughly(
    said: str | None, expected: str, right: bool, group: bool
) -> None:
    judged = row(said=said, expected=expected)

    assert (right, group) == (judged.cause_is_right, judged.group_is_right)


def test_marks_count_deaths_lines_and_alarms_apart() -> None:
    rows = [
        row(said="deadlocked", line=9),
        row(said="waiting-forever", line=8, victim="w"),
        row(victim="x"),
        row(act="spare"),
        row(act="spare", said="deadlocked", victim="w"),
        Row("a", "victims", "y", "die", "deadlocked", [], not_played="no compiler"),
    ]

    found = mark(rows)

    assert (3, 1, 2) == (found.deaths, found.causes, found.groups)
    assert (3, 1) == (found.with_line, found.lines)
    assert (2, 1, 1) == (found.twins, found.false_alarms, found.silent)


def test_only_what_every_tool_was_asked_is_compared() -> None:
    rows = [row("a"), row("b"), row("a", victim="w")]

    assert ["v", "v"] == [kept.victim for kept in played_by_all(rows)]
    totals, by_group = tables(rows)
    assert [("a", "0 of 1 (0%)"), ("b", "0 of 1 (0%)")] == [line[:2] for line in totals.rows]
    assert ("concurrency", "1", "0", "0") == by_group.rows[0]


def test_there_is_a_table_before_anything_was_played() -> None:
    assert 2 == len(tables([]))


@pytest.mark.parametrize(
    ("name", "end", "answer"),
    [
        ("shell", ended(0), Answer()),
        ("shell", ended(1), Answer("uncaught-exception")),
        ("shell", ended(7), Answer("exited-by-program")),
        ("shell", ended(-signal.SIGKILL), Answer("memory-limit-reached")),
        ("shell", ended(137), Answer("memory-limit-reached")),
        ("shell", ended(-signal.SIGSEGV), Answer("native-op-crashed")),
        ("shell", ended(-signal.SIGQUIT), Answer()),
        ("shell", ended(-signal.SIGKILL, hung=True), Answer("waiting-forever")),
        (
            "traceback",
            ended(1, RAISED.format("MemoryError")),
            Answer("allocation-refused", 12),
        ),
        (
            "traceback",
            ended(1, RAISED.format("OSError: [Errno 28] No space left on device: 'a'")),
            Answer("disk-full", 12),
        ),
        (
            "traceback",
            ended(1, RAISED.format("tensorflow.python.framework.errors_impl.DataLossError: x")),
            Answer("corrupt-record", 12),
        ),
        ("traceback", ended(1, RAISED.format("KeyError: 'a'")), Answer("uncaught-exception", 12)),
        ("traceback", ended(1, "usage: train.py"), Answer("exited-by-program")),
        ("traceback", ended(-signal.SIGKILL, "Killed"), Answer("memory-limit-reached")),
        ("traceback", ended(-signal.SIGABRT, "free(): invalid pointer"), Answer("heap-corrupted")),
        (
            "traceback",
            ended(-signal.SIGINT, RAISED.format("KeyboardInterrupt")),
            Answer("interrupted", 12),
        ),
        (
            "traceback",
            ended(0, "Exception in thread Thread-1:\n" + RAISED.format("KeyError: 1")),
            Answer("background-error-lost"),
        ),
        ("faulthandler", ended(-signal.SIGSEGV, DUMP), Answer("native-op-crashed", 12)),
        ("faulthandler", ended(-signal.SIGKILL), Answer("memory-limit-reached")),
        ("marimo", ended(-signal.SIGKILL, kills_in_group=1), Answer("memory-limit-reached")),
        ("marimo", ended(-signal.SIGKILL, kills_in_group=0), Answer("killed-by-process")),
        ("marimo", ended(-signal.SIGKILL), Answer("killed-by-process")),
        ("marimo", ended(-signal.SIGSEGV), Answer("user-native-crashed")),
        ("marimo", ended(-signal.SIGKILL, hung=True), Answer()),
        ("marimo", ended(1, RAISED.format("MemoryError")), Answer("allocation-refused", 12)),
        ("ray", ended(-signal.SIGSEGV), Answer("memory-limit-reached")),
        ("ray", ended(3), Answer("exited-by-program")),
    ],
)
def test_what_a_baseline_concludes(name: str, end: Ended, answer: Answer) -> None:
    assert answer == load(name).answer(end)


@pytest.mark.parametrize("name", names())
def test_no_tool_but_outlive_has_a_word_about_a_program_that_ended_well(
    name: str, tmp_path: Path
) -> None:
    if name != "outlive":  # it reads its own record: see the real death below
        quiet = Ended(0, "oneDNN custom operations are on\n", "train.py", tmp_path)
        assert Answer() == load(name).answer(quiet)


def test_a_command_without_an_adapter_answers_in_a_file(tmp_path: Path) -> None:
    tool = load("answers")
    Path(tool.environment(tmp_path)["DEATHS_ANSWER"]).write_text('{"cause": "deadlocked"}')

    assert Answer("deadlocked") == tool.answer(Ended(0, "", "train.py", tmp_path))


def test_an_adapter_may_lie_anywhere(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from tool import Answer, Tool\n"
        "class Adapter(Tool):\n"
        "    def answer(self, ended): return Answer('disk-full', 1)\n"
    )

    assert Answer("disk-full", 1) == load(str(mine)).answer(ended(0))
    with pytest.raises(WrongUsage, match="there is no tool nobody"):
        load("nobody")


def test_tools_around_a_program_in_the_same_way_share_its_death() -> None:
    tools: dict[str, Tool] = {name: load(name) for name in score.ASKED}

    assert [["shell", "traceback", "marimo", "ray"], ["faulthandler"], ["outlive"]] == score.ways(
        tools
    )


def test_a_death_of_another_kind_is_not_counted() -> None:
    victim = Victim(Path("x.py"), {"expect": "deadlocked PROVEN", "ending": "SIGKILL"})

    check_ending(victim, "die", ended(-signal.SIGKILL))
    with pytest.raises(NotPlayed, match="ended with 1 instead of SIGKILL"):
        check_ending(victim, "die", ended(1))
    with pytest.raises(NotPlayed, match="instead of 0"):
        check_ending(victim, "spare", ended(1))


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "nowhere"],
        ["--only", "nobody*"],
        ["--wrap", "no-such-command --"],
        ["--resume", __file__],
    ],
)
def test_wrong_usage_is_said_in_a_sentence(words: list[str]) -> None:
    with pytest.raises(WrongUsage):
        score.main(words)


@pytest.mark.death
def test_a_tool_that_fails_has_not_answered_and_that_counts(tmp_path: Path) -> None:
    mine, kept = tmp_path / "mine.py", tmp_path / "kept.json"
    mine.write_text(
        "from tool import Tool\n"
        "class Adapter(Tool):\n"
        "    def answer(self, ended): raise OSError('no record')\n"
    )

    words = ["--tool", str(mine), "--only", "plain_exception", "--json", str(kept)]
    assert 0 == score.main(words)

    death = Row(**json.loads(kept.read_text())["rows"][0])
    assert (None, "OSError: no record", None) == (death.cause, death.failure, death.not_played)
    assert (1, 0, 1) == (mark([death]).deaths, mark([death]).causes, mark([death]).silent)


@pytest.mark.death
def test_one_real_death_is_scored_kept_and_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, page = tmp_path / "kept.json", tmp_path / "page.md"
    words = ["--tool", "traceback", "--tool", "outlive", "--only", "exits_with_status"]

    assert 0 == score.main([*words, "--json", str(kept), "--markdown", str(page)])

    rows = [Row(**found) for found in json.loads(kept.read_text())["rows"]]
    assert 4 == len(rows)
    assert all(found.cause_is_right for found in rows if found.is_death)
    assert all(found.cause is None for found in rows if not found.is_death)
    assert "| outlive | 1 of 1 (100%)" in page.read_text()
    before = kept.stat().st_mtime_ns
    capsys.readouterr()

    assert 0 == score.main([*words, "--resume", str(kept)])

    assert before == kept.stat().st_mtime_ns, "what is kept was played again"
    assert "1 of 1 (100%)" in capsys.readouterr().out
