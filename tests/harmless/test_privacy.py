"""What a run leaves on the disk is the user's alone, and holds no secret in clear."""

import contextlib
import os
import select
import stat
import sys
import zipfile

import pytest

from fake_secrets import fakes
from fake_secrets import found_in as found_pieces

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


@pytest.mark.parametrize("then", ["why", "runs", "export", "run"])
def test_what_a_killed_supervisor_left_is_masked_by_whoever_looks_next(then, runner, tmp_path):
    secrets = fakes(11, ["github-pat", "password-code", "url-login", "pem-rsa"])
    text = "\n".join(fake.text for fake in secrets)
    (tmp_path / "text").write_text(text)
    code = (
        "import sys; print(open(sys.argv[1]).read(), file=sys.stderr, flush=True); print(flush=True);"
        "sys.stdin.readline(); sys.exit(3)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "text")]
    child = runner.start(runner.command(*words))
    child.stdout.readline()
    (live,) = runner.home.rglob("*.native")
    child.kill()
    child.communicate(b"go\n", timeout=60)
    wait_for_the_end_of(int(live.name.partition(".")[0]))

    if then == "run":
        runner.watched("true")
    else:
        more = ["export", "last", str(tmp_path / "it.zip")] if then == "export" else []
        runner.bare(sys.executable, "-m", "outlive", "runs" if more else then, *more)

    assert [] == list(runner.home.rglob("*.native"))
    kept = b"".join(path.read_bytes() for path in runner.home.rglob("*") if path.is_file())
    assert [] == found_pieces(kept.decode("utf-8", "replace"), secrets)
    if then == "export":
        with zipfile.ZipFile(tmp_path / "it.zip") as box:
            packed = b"".join(box.read(name) for name in box.namelist())
        assert [] == found_pieces(packed.decode("utf-8", "replace"), secrets)


def wait_for_the_end_of(pid):
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(pid)
        select.select([handle], [], [], 60)
        os.close(handle)


@pytest.mark.xfail(
    reason="what is a secret by its value alone only the supervisor knew: whoever looks next masks by shape, name and his own environment"
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


#: As python-dotenv does it. The value stands nowhere in the source as it is.
LOADS_ITS_ENVIRONMENT = """
import os, sys
os.environ["DB_PASSWORD"] = "5xZ2qV8rTkw"[::-1]
sys.stderr.write("refused: " + os.environ["DB_PASSWORD"] + chr(10))
os.abort()
"""


@pytest.mark.xfail(
    strict=True,
    reason="the tail of stderr is masked outside, with the environment that the program was started with (what-is-inside.md says so)",
)
def test_a_secret_that_the_program_puts_into_its_own_environment_is_not_kept(runner):
    runner.watched(sys.executable, "-c", LOADS_ITS_ENVIRONMENT)

    kept = b"".join(path.read_bytes() for path in runner.home.rglob("*") if path.is_file())
    assert b"wkTr8Vq2Zx5" not in kept


@pytest.mark.parametrize("umask", ["0", "002", "077"])
def test_a_home_that_is_made_is_private_and_one_that_is_there_stays_as_it_is(
    umask, runner, tmp_path
):
    prefix = ["sh", "-c", f'umask {umask}; exec "$@"', "sh"]
    new, old = tmp_path / "not" / "yet" / "there", tmp_path / "mine"
    old.mkdir()
    old.chmod(0o775)
    for home in (new, old):
        environment = runner.environment(OUTLIVE_HOME=str(home))
        assert 0 == runner.bare(*prefix, *runner.command("true"), env=environment).status

    made = [new.parent.parent, new.parent, new, new / "runs", old / "runs"]
    assert [0o700] * 5 == [stat.S_IMODE(path.stat().st_mode) for path in made]
    assert 0o775 == stat.S_IMODE(old.stat().st_mode)


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
