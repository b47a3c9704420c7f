"""A watched program inherits what a bare one does; only its parent differs, and what is documented."""

import json
import os
import resource
import signal
import sys

import pytest

from outlive.recorder.supervisor import INSIDE_PATH

#: What the program may see changed in its environment.
DOCUMENTED_VARIABLES = {"PYTHONPATH", "OUTLIVE_RECORD_FOLDER"}


@pytest.fixture
def seen(runner, program):
    """What the program inherits, bare and watched, below a prefix that is the same process for both."""

    def look(*prefix, python=(sys.executable,), **changes):
        found = []
        for wrap in (lambda *words: list(words), runner.command):
            command = [*prefix, *wrap(*python, program("inherited.py"))]
            child = runner.start(command, env=runner.environment(**changes))
            ending = runner.finish(child)
            assert 0 == ending.status, ending.stderr.decode()
            found.append({**json.loads(ending.stdout), "starter": child.pid})
        return found

    return look


def changed(bare, watched):
    return {name for name in bare.keys() | watched.keys() if bare.get(name) != watched.get(name)}


def test_the_environment_differs_only_in_the_documented_variables(seen):
    bare, watched = seen()

    assert DOCUMENTED_VARIABLES == changed(bare["environment"], watched["environment"])
    assert INSIDE_PATH == watched["environment"]["PYTHONPATH"]


@pytest.mark.parametrize("before", ["/some/folder", "", ":/some/folder", "/some/folder:"])
def test_a_python_path_that_was_set_stays_behind_the_added_folder(before, seen):
    _, watched = seen(PYTHONPATH=before)

    expected = f"{INSIDE_PATH}:{before}" if before else INSIDE_PATH
    assert expected == watched["environment"]["PYTHONPATH"]


def test_open_descriptors_differ_only_by_high_ones_of_the_recorder_that_are_not_inherited(seen):
    bare, watched = seen()

    added = changed(bare["descriptors"], watched["descriptors"])
    assert all("recorder" in watched["descriptors"][number] for number in added), watched
    assert all(int(number) >= min(900, bare["limits"]["RLIMIT_NOFILE"][0] - 16) for number in added)
    assert not any(watched["descriptors"][number][1] for number in added)
    assert len(added) <= 2


def test_everything_else_is_inherited_unchanged(seen):
    bare, watched = seen()

    differing = {"environment", "descriptors", "session", "group", "starter"}
    assert changed(bare, watched) <= differing
    for one in (bare, watched):
        assert one["starter"] == one["session"] == one["group"]


@pytest.mark.parametrize(
    "prefix",
    [
        ["nice", "-n", "7"],
        ["nohup"],
        ["sh", "-c", 'umask 077; ulimit -n 200; ulimit -c 0; ulimit -t 100; exec "$@"', "sh"],
        ["sh", "-c", "trap '' TERM INT USR1 HUP TSTP TTOU; exec \"$@\"", "sh"],
        ["bash", "-c", "trap '' CHLD; exec \"$@\"", "bash"],
        ["env", "--block-signal=USR1,TERM,RTMIN"],
        ["env", "-i", "PATH=/usr/bin:/bin"],
        ["taskset", "1"],
        ["setpriv", "--no-new-privs"],
        ["bash", "-c", 'exec "$@" 5</dev/null 7>/dev/null 255</dev/null', "bash"],
        ["sh", "-c", 'cd /; exec "$@"', "sh"],
    ],
    ids=lambda prefix: " ".join(prefix)[:40],
)
def test_what_was_set_before_the_start_is_inherited(prefix, seen, tmp_path):
    changes = {"HOME": str(tmp_path)} if "-i" in prefix else {}
    prefix = [*prefix, f"OUTLIVE_HOME={tmp_path}"] if "-i" in prefix else prefix
    bare, watched = seen(*prefix, **changes)

    assert changed(bare, watched) <= {"environment", "descriptors", "session", "group", "starter"}
    added = changed(bare["descriptors"], watched["descriptors"])
    assert all("recorder" in watched["descriptors"][number] for number in added), watched
    assert DOCUMENTED_VARIABLES == changed(bare["environment"], watched["environment"])


@pytest.mark.xfail(reason="Python ignores SIGPIPE in itself and does not say what it was before")
def test_sigpipe_that_was_ignored_before_the_start_stays_ignored(runner):
    prefix = ["bash", "-c", "trap '' PIPE; exec \"$@\"", "bash"]
    command = ["grep", "SigIgn", "/proc/self/status"]

    bare = runner.bare(*prefix, *command)
    watched = runner.bare(*prefix, *runner.command(*command))
    ignored = [
        int(one.stdout.split()[1], 16) >> (signal.SIGPIPE - 1) & 1 for one in (bare, watched)
    ]

    assert [1, 1] == ignored


def test_a_child_of_a_process_that_ignores_its_children_still_gives_its_status(runner):
    prefix = ["bash", "-c", "trap '' CHLD; exec \"$@\"", "bash"]

    statuses = [
        runner.bare(*prefix, *runner.command("sh", "-c", "exit 5")).status for _ in range(5)
    ]

    assert [5] * 5 == statuses


def test_an_open_file_shares_its_position_with_the_program(runner, tmp_path):
    path = tmp_path / "log"

    with path.open("w") as file:
        file.write("before\n")
        file.flush()
        runner.watched("sh", "-c", "echo during", stdout=file)
        file.write("after\n")

    assert "before\nduring\nafter\n" == path.read_text()


@pytest.mark.parametrize(
    "limit", [("RLIMIT_NPROC", 60), ("RLIMIT_NOFILE", 12), ("RLIMIT_AS", 900 << 20)], ids=str
)
def test_tight_limits_are_enough_for_both(limit, runner, program):
    name, value = limit
    if name == "RLIMIT_NPROC" and os.geteuid() == 0:
        pytest.skip("root has no limit of processes")
    prefix = [sys.executable, program("limits.py"), name, str(value)]
    command = [sys.executable, program("copies.py")]

    bare = runner.bare(*prefix, *command, data=b"text")
    watched = runner.bare(*prefix, *runner.command(*command), data=b"text")

    assert 0 == bare.status
    assert resource.RLIM_INFINITY != value
    assert bare == watched
