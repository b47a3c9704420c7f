"""Where nothing can be recorded, the program runs all the same, and one line says so."""

import json
import os
import re
import sys

import pytest

pytestmark = pytest.mark.death

WAYS = [("sys.exit", "0"), ("exception", "x"), ("signal", "SIGSEGV")]


#: The first line of a verdict: no warning.
HEADLINE = re.compile(r"\((?:exit status \d+|SIG[A-Z]+)\)$|exited with status \d+")


def split(ending):
    """What Outlive warned of, and all the rest of stderr."""
    lines = ending.stderr.decode().splitlines(keepends=True)
    said = [line for line in lines if line.startswith("outlive: ") and not HEADLINE.search(line)]
    return said, "".join(line for line in lines if line not in said)


def compare(runner, command, *, prefix=(), **changes):
    """The program, bare and watched, with the same environment; what Outlive said beyond the program."""
    environment = runner.environment(**changes)
    bare = runner.bare(*prefix, *command, env=environment)
    watched = runner.bare(*prefix, *runner.command(*command), env=environment)
    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    said, rest = split(watched)
    assert rest.startswith(bare.stderr.decode())
    return said


@pytest.fixture(params=WAYS, ids=str)
def command(request, program):
    return [sys.executable, program("ends.py"), *request.param]


def test_a_file_in_place_of_the_folder(command, runner, tmp_path):
    home = tmp_path / "a-file"
    home.write_text("mine")

    said = compare(runner, command, OUTLIVE_HOME=str(home))

    assert 1 == len(said), said
    assert "mine" == home.read_text()


def test_a_file_in_place_of_the_home_directory(command, runner, tmp_path):
    home = tmp_path / "a-file"
    home.write_text("mine")

    said = compare(runner, command, OUTLIVE_HOME=None, HOME=str(home))

    assert 1 == len(said), said


def test_neither_the_home_nor_the_folder_for_temporary_files(command, runner, tmp_path):
    nowhere = str(tmp_path / "a-file")
    (tmp_path / "a-file").write_text("mine")

    said = compare(runner, command, OUTLIVE_HOME=nowhere, TMPDIR=nowhere)

    assert 1 == len(said), said
    assert "nothing is recorded" in said[0]


@pytest.mark.parametrize(
    "mount",
    [
        "mount -t tmpfs -o ro none {0}",
        "mount -t tmpfs -o size=64k none {0}; head -c 1000000 /dev/zero > {0}/fill 2>/dev/null",
        "mount -t tmpfs -o size=200k none {0}",
        "mount -t tmpfs -o nr_inodes=5 none {0}",
    ],
    ids=["read-only", "full", "nearly full", "no more files"],
)
def test_a_file_system_that_takes_nothing(mount, command, in_own_mounts, runner, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    script = mount.format(home) + ' || :; exec "$@"'
    prefix = [*in_own_mounts, "sh", "-c", script, "sh"]

    said = compare(runner, command, prefix=prefix, OUTLIVE_HOME=str(home))

    assert 1 == len(said), said


@pytest.mark.parametrize("size", ["16k", "400k", "2m"])
def test_a_home_with_too_little_room_says_so_and_nothing_wrong(
    size, in_own_mounts, runner, tmp_path
):
    home = tmp_path / "home"
    home.mkdir()
    script = f'mount -t tmpfs -o size={size} none {home}; exec "$@"'
    prefix = [*in_own_mounts, "sh", "-c", script, "sh"]
    aborts = [sys.executable, "-c", "import os; os.abort()"]

    said = compare(runner, aborts, prefix=prefix, OUTLIVE_HOME=str(home))
    told = runner.bare(
        *prefix,
        *runner.command(*aborts, switches=["--json"]),
        env=runner.environment(OUTLIVE_HOME=str(home)),
    )
    verdict = json.loads(told.stderr[told.stderr.index(b"{") :])

    assert 1 == len(said) and "this run is recorded in" in said[0], said
    assert "exited-without-cleanup" == verdict["cause"]["slug"]


def test_without_room_for_what_the_program_notes_nothing_wrong_is_said(
    in_own_mounts, runner, tmp_path
):
    """Neither the home nor the temporary folder has room for a ring: native frames are all that is known."""
    home = tmp_path / "home"
    home.mkdir()
    script = f'mount -t tmpfs -o size=400k none {home}; exec "$@"'
    prefix = [*in_own_mounts, "sh", "-c", script, "sh"]
    aborts = [sys.executable, "-c", "import os; os.abort()"]
    command = runner.command(*aborts, switches=["--json"])

    environment = runner.environment(OUTLIVE_HOME=str(home), TMPDIR=str(home))
    told = runner.bare(*prefix, *command, env=environment)
    verdict = json.loads(told.stderr[told.stderr.index(b"{") :])

    assert "outlive/inside" not in json.dumps(verdict)
    assert "user-native-crashed" != (verdict["cause"] or {}).get("slug")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(command, runner, tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)

    said = compare(runner, command, OUTLIVE_HOME=str(home))

    assert 1 == len(said), said


def test_a_folder_that_does_not_exist_is_made(command, runner, tmp_path):
    home = tmp_path / "not" / "yet" / "there"

    said = compare(runner, command, OUTLIVE_HOME=str(home))

    assert [] == said
    assert 1 == len(list((home / "runs").iterdir()))


def test_a_link_to_a_folder_elsewhere_is_followed(command, runner, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    said = compare(runner, command, OUTLIVE_HOME=str(tmp_path / "link"))

    assert [] == said
    assert 1 == len(list((tmp_path / "elsewhere" / "runs").iterdir()))


def test_without_a_home_directory_in_the_environment(command, runner, tmp_path):
    state = str(tmp_path / "state")

    said = compare(runner, command, OUTLIVE_HOME=None, HOME=None, XDG_STATE_HOME=state)

    assert [] == said


def test_a_working_folder_that_was_deleted(runner, tmp_path):
    script = 'mkdir here && cd here && rmdir ../here && exec "$@"'
    command = ["/bin/echo", "hello"]

    bare = runner.bare("sh", "-c", script, "sh", *command, cwd=tmp_path)
    watched = runner.bare("sh", "-c", script, "sh", *runner.command(*command), cwd=tmp_path)

    assert (0, b"hello\n", b"") == bare
    assert bare == watched


def test_the_record_is_deleted_while_the_program_runs(runner, program):
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    child.stdout.readline()

    for folder in runner.run_folders():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
    ending = runner.finish(child, b"go\n")

    assert 9 == ending.status
    assert b"heard go\n" == ending.stdout
