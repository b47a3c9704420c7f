"""Whatever runs is run as it always was: other Pythons, their options, their customisations, and what is no Python at all."""

import shutil
import subprocess
import sys
import sysconfig
import zipapp

import pytest

SHOW = "import sys, os; print(sys.version_info[:2], sys.argv, sys.flags, [p for p in sys.path if 'pytest' not in p])"


def same(runner, *command, **changes):
    """Both endings, which must be equal to the last byte."""
    environment = runner.environment(**changes)
    bare, watched = (
        runner.bare(*command, env=environment),
        runner.watched(*command, env=environment),
    )
    assert bare == watched
    return bare


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.12", "3.13"])
def test_any_python_starts_as_before(version, runner, python_of):
    python = python_of(version)

    ending = same(runner, python, "-B", "-c", SHOW, "an argument")

    assert 0 == ending.status
    assert b"" == ending.stderr


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.13"])
def test_any_python_fails_as_before(version, runner, python_of, program):
    python = python_of(version)
    command = [python, "-B", "-c", "import sys; sys.stderr.write('words'); sys.exit(3)"]

    bare, watched = runner.bare(*command), runner.watched(*command, switches=["--quiet"])

    assert (3, b"", b"words") == bare
    assert bare == watched


@pytest.mark.parametrize(
    "options",
    [
        "-I",
        "-E",
        "-s",
        "-B",
        "-O",
        "-OO",
        "-u",
        "-b",
        "-q",
        "-P",
        "-X dev",
        "-X utf8",
        "-W error",
        "-W ignore",
        "-X faulthandler",
    ],
)
def test_options_of_python_have_their_effect(options, runner):
    if options == "-P" and sys.version_info < (3, 11):
        pytest.skip("only Python 3.11 and later have -P")

    ending = same(runner, sys.executable, *options.split(), "-c", SHOW)

    assert 0 == ending.status


def test_without_site_the_added_folder_stays_in_the_path_as_the_manual_says(runner):
    command = [sys.executable, "-S", "-c", "import sys; print(*sys.path, sep='\\n')"]

    bare, watched = runner.bare(*command), runner.watched(*command)

    added = [line for line in watched.stdout.split(b"\n") if line.endswith(b"/inside/start/path")]
    assert 1 == len(added)
    assert bare == watched._replace(stdout=watched.stdout.replace(added[0] + b"\n", b""))


def test_without_site_the_program_runs(runner):
    ending = same(runner, sys.executable, "-S", "-c", "print('hello')")

    assert (0, b"hello\n", b"") == ending


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTHONWARNINGS", "error"),
        ("PYTHONWARNINGS", "default"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONUNBUFFERED", "1"),
        ("PYTHONHASHSEED", "0"),
        ("PYTHONOPTIMIZE", "2"),
        ("PYTHONFAULTHANDLER", "1"),
        ("PYTHONIOENCODING", "latin-1"),
        ("PYTHONUTF8", "1"),
        ("PYTHONNOUSERSITE", "1"),
        ("PYTHONSAFEPATH", "1"),
        ("PYTHONDEVMODE", "1"),
        ("PYTHONMALLOC", "debug"),
        ("PYTHONTRACEMALLOC", "1"),
        ("PYTHONPATH", ""),
        ("PYTHONPATH", "/nowhere"),
        ("LC_ALL", "C"),
    ],
)
def test_variables_of_python_have_their_effect(name, value, runner):
    ending = same(runner, sys.executable, "-c", SHOW, **{name: value})

    assert 0 == ending.status


def test_bytecode_is_written_where_it_always_is(runner, tmp_path):
    trees = []
    for name, run in (("a", runner.bare), ("b", runner.watched)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "module.py").write_text("VALUE = 1\n")
        (folder / "main.py").write_text("import module\nprint(module.VALUE)\n")
        run(sys.executable, "main.py", cwd=folder)
        trees.append({str(path.relative_to(folder)) for path in folder.rglob("*")})

    assert any(name.endswith(".pyc") for name in trees[0])
    assert trees[0] == trees[1]


@pytest.fixture
def customised(tmp_path):
    """A folder with customisations that tell that they were loaded, and by whom."""
    folder = tmp_path / "customised"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import sys\nsys.customised = __file__, __name__\n")
    return folder


def test_a_sitecustomize_of_the_users_is_loaded_and_known(customised, runner):
    code = "import sys; print(sys.customised, sys.modules['sitecustomize'].__file__, sys.path)"

    ending = same(runner, sys.executable, "-c", code, PYTHONPATH=str(customised))

    assert str(customised / "sitecustomize.py") in ending.stdout.decode()


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.13"])
def test_a_sitecustomize_is_loaded_by_any_python(version, customised, runner, python_of):
    code = (
        "import sys; print(sys.customised); print(sorted(n for n in sys.modules if 'custom' in n))"
    )

    ending = same(runner, python_of(version), "-B", "-c", code, PYTHONPATH=str(customised))

    assert str(customised) in ending.stdout.decode()


@pytest.mark.parametrize(
    "text",
    [
        "raise ValueError('bad')",
        "import no_such_module",
        "raise ImportError('odd')",
        "1 +",
    ],
)
def test_a_sitecustomize_that_fails_fails_as_before(text, customised, runner):
    (customised / "sitecustomize.py").write_text(text + "\n")
    command = ["env", f"PYTHONPATH={customised}", sys.executable, "-c", "print('hello')"]

    bare = runner.bare(*command)
    watched = runner.watched(
        "sh",
        "-c",
        f'PYTHONPATH="$PYTHONPATH:{customised}" exec "$@"',
        "sh",
        sys.executable,
        "-c",
        "print('hello')",
    )

    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]


def test_a_sitecustomize_runs_in_the_supervisor_too_as_the_manual_says(customised, runner):
    """Python runs it before any line of Outlive's."""
    (customised / "sitecustomize.py").write_text("print('loaded', flush=True)\n")
    environment = runner.environment(PYTHONPATH=str(customised))

    ending = runner.watched(sys.executable, "-c", "print('hello')", env=environment)

    assert (0, b"loaded\nloaded\nhello\n", b"") == ending


def test_a_usercustomize_is_loaded(runner, tmp_path):
    base = tmp_path / "base"
    found = subprocess.run(
        [sys.executable, "-m", "site", "--user-site"],
        env={**runner.environment(), "PYTHONUSERBASE": str(base)},
        capture_output=True,
        text=True,
        check=False,
    )
    folder = found.stdout.strip()
    if found.returncode != 0:
        pytest.skip("user customisations are off in this Python (a virtual environment)")
    (tmp_path / "made").mkdir()
    shutil.copytree(tmp_path / "made", folder)
    with open(f"{folder}/usercustomize.py", "w") as file:
        file.write("import sys\nsys.customised = __file__\n")

    same(
        runner, sys.executable, "-c", "import sys; print(sys.customised)", PYTHONUSERBASE=str(base)
    )


def test_a_usercustomize_is_loaded_by_a_plain_python(runner, python_of, tmp_path):
    python = python_of("3.12")
    base = tmp_path / "base" / "lib" / "python3.12" / "site-packages"
    base.mkdir(parents=True)
    (base / "usercustomize.py").write_text("import sys\nsys.customised = __file__\n")

    ending = same(
        runner,
        python,
        "-c",
        "import sys; print(sys.customised)",
        PYTHONUSERBASE=str(tmp_path / "base"),
    )

    assert str(base / "usercustomize.py") in ending.stdout.decode()


@pytest.fixture
def environment_of_its_own(tmp_path, runner):
    made = runner.bare(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv"))
    assert 0 == made.status, made.stderr.decode()
    return tmp_path / "venv"


def test_a_fresh_virtual_environment_is_what_it_was(environment_of_its_own, runner):
    python = str(environment_of_its_own / "bin" / "python")

    ending = same(
        runner, python, "-c", SHOW + "; print(sys.prefix, sys.base_prefix, sys.executable)"
    )

    assert str(environment_of_its_own).encode() in ending.stdout


def test_a_sitecustomize_in_a_virtual_environment_is_loaded(environment_of_its_own, runner):
    python = str(environment_of_its_own / "bin" / "python")
    folder = next(environment_of_its_own.glob("lib/python3*/site-packages"))
    (folder / "sitecustomize.py").write_text("import sys\nsys.customised = __file__\n")
    if runner.bare(python, "-c", "import sys; sys.customised").status != 0:
        pytest.skip("the system's Python has a sitecustomize of its own, which comes first")

    ending = same(runner, python, "-c", "import sys; print(sys.customised, sys.path)")

    assert str(folder / "sitecustomize.py") in ending.stdout.decode()


def test_making_a_virtual_environment_gives_the_same_one(runner, tmp_path):
    trees = []
    for name, run in (("a", runner.bare), ("b", runner.watched)):
        ending = run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / name))
        assert 0 == ending.status
        trees.append(
            sorted(str(path.relative_to(tmp_path / name)) for path in (tmp_path / name).rglob("*"))
        )

    assert trees[0] == trees[1]


def test_an_application_in_a_zip_file_runs(runner, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "__main__.py").write_text(
        "import sys, other\nprint(sys.argv[1:], other.VALUE, sys.path[0])\n"
    )
    (source / "other.py").write_text("VALUE = 5\n")
    zipapp.create_archive(source, tmp_path / "application.pyz", interpreter=sys.executable)

    ending = same(runner, str(tmp_path / "application.pyz"), "an argument")

    assert ending.stdout.startswith(b"['an argument'] 5 ")


@pytest.mark.parametrize(
    "command",
    [
        ["/bin/true"],
        ["/bin/echo", "-n", "text"],
        ["bash", "-c", "trap 'echo bye' EXIT; echo $# $0; exit 0", "name", "an argument", ""],
        [
            "env",
            "-u",
            "PYTHONPATH",
            "-u",
            "OUTLIVE_RECORD_FOLDER",
            "sh",
            "-c",
            "echo $PPID >/dev/null; pwd; umask; ulimit -a",
        ],
        ["sh", "-c", "sleep 0 & wait; (exit 3); echo $?"],
    ],
    ids=lambda command: command[0],
)
def test_what_is_no_python_runs_as_before(command, runner):
    assert 0 == same(runner, *command).status


@pytest.fixture
def compiler():
    found = shutil.which(sysconfig.get_config_var("CC") or "cc") or shutil.which("cc")
    if found is None:
        pytest.skip("there is no compiler here")
    return found


def test_a_static_binary_runs_as_before(compiler, runner, program, tmp_path):
    binary = str(tmp_path / "static")
    made = subprocess.run(
        [compiler, "-static", "-o", binary, program("static.c")], check=False, capture_output=True
    )
    if made.returncode != 0:
        pytest.skip("nothing can be linked statically here")

    bare, watched = runner.bare(binary, "a"), runner.watched(binary, "a", switches=["--quiet"])

    assert (42, b"argc 2\n", b"") == bare
    assert bare == watched
