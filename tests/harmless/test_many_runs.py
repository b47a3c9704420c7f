"""Runs beside each other and inside each other do not know of each other."""

import json
import sys

import pytest


@pytest.mark.parametrize("count", [2, 20])
def test_runs_at_the_same_time_each_have_their_own_record(count, runner):
    children = [
        runner.start(runner.command("sh", "-c", f"read line; echo $line; exit {number}"))
        for number in range(count)
    ]

    endings = [runner.finish(child, b"line %d\n" % n) for n, child in enumerate(children)]
    folders = runner.run_folders()
    verdicts = [path for folder in folders for path in folder.glob("verdict.json")]

    assert list(range(count)) == [ending.status for ending in endings]
    assert [b"line %d\n" % n for n in range(count)] == [ending.stdout for ending in endings]
    assert count == len(folders)
    codes = sorted(json.loads(path.read_text())["ending"]["exit_code"] for path in verdicts)
    assert list(range(1, count)) == [code for code in codes if code]
    assert not [ending for ending in endings if b"cannot write" in ending.stderr]


@pytest.mark.death
@pytest.mark.parametrize(
    "way",
    [("sys.exit", "0"), ("sys.exit", "3"), ("signal", "SIGSEGV"), ("exception", "x")],
    ids=str,
)
def test_outlive_inside_outlive_gives_the_same(way, runner, program):
    command = [sys.executable, program("ends.py"), *way]

    bare = runner.bare(*command)
    watched = runner.watched(*runner.command(*command))

    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]
    assert 2 == len(runner.run_folders())


@pytest.mark.death
def test_a_signal_passes_through_both(runner):
    child = runner.start(runner.command(*runner.command("sh", "-c", "echo ready; exec sleep 60")))
    child.stdout.readline()

    child.terminate()

    assert -15 == child.wait(60)


def test_a_program_that_forks_without_end_leaves_a_bounded_record(runner, program):
    ending = runner.watched(sys.executable, program("forks_often.py"), "400")
    files = [path for path in runner.home.rglob("*") if path.is_file()]

    assert 0 == ending.status, ending.stderr.decode()
    assert sum(path.stat().st_size for path in files) < 60_000_000
    assert int(ending.stdout) < 150_000_000, "while it ran"
