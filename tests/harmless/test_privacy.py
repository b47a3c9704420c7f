"""What a run leaves on the disk is the user's alone, and holds no secret in clear."""

import os
import stat
import sys

import pytest

pytestmark = pytest.mark.death

ARGUMENTS = {
    "hunter2secret": ["--password", "hunter2secret"],
    "tok-3f9a77bc": ["--token=tok-3f9a77bc"],
    "pw4database": ["--url", "postgres://scott:pw4database@db.example/prod"],
    "sig9f8e7d": ["https://storage.example/a?sig=sig9f8e7d&x=1"],
}
ENVIRONMENT = {
    "API_KEY": "key-c0ffee-11",
    "DATABASE_URL": "mysql://root:env4password@host/db",
    "MY_TOKEN": "tokenvalue-77",
}
SECRETS = [*ARGUMENTS, "key-c0ffee-11", "env4password", "tokenvalue-77"]
WAYS = ["raise", "exit", "thread", "future", "worker", "crash", "note", "3"]


def command(program):
    return [
        sys.executable,
        program("tells_secrets.py"),
        *(w for words in ARGUMENTS.values() for w in words),
    ]


def found_in(folder):
    """Each secret that stands in any file of the folder, and in which."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [(secret, path.name) for secret in SECRETS if secret.encode() in content]
        found += [(secret, path.name) for secret in SECRETS if secret in path.name]
    return found


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("place", ["pipe", "file"])
def test_no_secret_is_in_the_record_of_a_run_that_has_ended(how, place, runner, program, tmp_path):
    environment = runner.environment(HOW=how, **ENVIRONMENT)
    with (tmp_path / "stderr").open("wb") as file:
        options = {"stderr": file} if place == "file" else {}
        ending = runner.finish(
            runner.start(runner.command(*command(program)), env=environment, **options)
        )

    folder = runner.run_folders()[0]
    assert ending.status != 0
    assert b"hunter2secret" in ending.stdout, "the program itself speaks as it likes"
    assert list(folder.rglob("*"))
    assert [] == found_in(runner.home)


def test_no_secret_is_in_what_outlive_says(runner, program):
    environment = runner.environment(HOW="raise", **ENVIRONMENT)
    bare = runner.bare(*command(program), env=environment)
    watched = runner.watched(*command(program), env=environment)

    verdict = watched.stderr[len(bare.stderr) :].decode()
    why = runner.why()
    shared = runner.why("--share", "--json")
    said = verdict + why.stdout.decode() + shared.stdout.decode()

    assert "ValueError" in said
    assert [] == [secret for secret in SECRETS if secret in said]


def test_while_it_runs_only_the_shims_own_file_holds_words_in_clear(runner, program):
    environment = runner.environment(HOW="wait", **ENVIRONMENT)
    child = runner.start(runner.command(*command(program)), env=environment)
    child.stdout.readline()
    child.stderr.readline()

    names = {name.rpartition(".")[2] for _, name in found_in(runner.home)}
    runner.finish(child, b"go\n")

    assert names <= {"native"}
    assert [] == found_in(runner.home)


@pytest.mark.xfail(
    reason="a supervisor that is killed cannot mask what the shim kept; `outlive why` could"
)
def test_a_killed_supervisor_leaves_no_secret_behind(runner, program):
    environment = runner.environment(HOW="wait", **ENVIRONMENT)
    child = runner.start(runner.command(*command(program)), env=environment)
    child.stdout.readline()
    child.stderr.readline()

    child.kill()
    child.wait(60)
    child.communicate(b"go\n", timeout=60)
    runner.why()

    assert [] == found_in(runner.home)


@pytest.mark.parametrize("umask", ["0", "022", "077"])
def test_folders_are_private_while_it_runs_and_afterwards(umask, runner, program):
    prefix = ["sh", "-c", f'umask {umask}; exec "$@"', "sh"]
    child = runner.start([*prefix, *runner.command(sys.executable, program("talks.py"))])
    child.stdout.readline()

    modes = []
    for moment in ("running", "ended"):
        for path in [runner.home / "runs", *(runner.home / "runs").rglob("*")]:
            found = path.lstat()
            kind = (
                "folder" if stat.S_ISDIR(found.st_mode) else "link" if path.is_symlink() else "file"
            )
            modes.append((moment, kind, oct(stat.S_IMODE(found.st_mode))))
        if moment == "running":
            runner.finish(child, b"go\n")

    expected = {"folder": "0o700", "file": "0o600"}
    assert {(moment, kind, expected[kind]) for moment, kind, _ in modes if kind in expected} == {
        entry for entry in modes if entry[1] in expected
    }


def test_a_link_in_place_of_the_runs_folder_is_not_followed(runner, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    runner.home.mkdir()
    (runner.home / "runs").symlink_to(tmp_path / "elsewhere")

    ending = runner.watched("echo", "hello")

    assert (0, b"hello\n") == ending[:2]
    assert 1 == ending.stderr.count(b"\n")
    assert [] == list((tmp_path / "elsewhere").iterdir())


def test_links_planted_in_the_folder_of_a_run_are_not_followed(runner, program, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    pid = int(child.stdout.readline())

    folder = runner.run_folders()[0]
    for name in ("verdict.json", "sealed", "stderr.tail", f"rings/{pid}.shim", "rings/limit"):
        path = folder / name
        if not path.exists() and not path.is_symlink():
            os.symlink(victim, path)
    ending = runner.finish(child, b"fail\n")

    assert 1 == ending.status
    assert "precious" == victim.read_text()
