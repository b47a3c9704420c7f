"""The command line: what it prints, where, and with which status."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

from conftest import SECONDS, Outlive
from made_evidence import UNITS
from outlive import __version__
from outlive.__main__ import main
from outlive.cli.command_line import cli
from outlive.cli.run_program.request import OPTIONS, Options, parse
from outlive.errors import UsageError
from outlive.recorder.store import run_folders
from outlive.units.unit import KINDS, discover

#: Whatever there is: each must have help, be completed and be named in the help of all.
COMMANDS = tuple(cli.commands)


def test_it_runs_in_the_folder_of_what_is_installed() -> None:
    import click

    installed = Path(click.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "outlive", "--help"],
        cwd=installed, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip

    assert (0, "") == (done.returncode, done.stderr)


def test_the_version_is_told(outlive: Outlive) -> None:
    done = outlive("--version")

    assert (0, f"outlive, version {__version__}\n", "") == (done.status, done.stdout, done.stderr)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_names_every_command_and_status(outlive: Outlive, option: str) -> None:
    done = outlive(option)

    assert (0, "") == (done.status, done.stderr)
    for name in (*COMMANDS, "OUTLIVE_HOME", "NO_COLOR", "Exit statuses"):
        assert name in done.stdout


def test_without_a_command_the_help_is_shown_as_wrong_usage(outlive: Outlive) -> None:
    done = outlive()

    assert 2 == done.status
    assert "Usage: outlive" in done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(outlive: Outlive, command: str) -> None:
    done = outlive(command, "--help")

    assert 0 == done.status
    assert f"Usage: outlive {command}" in done.stdout


def test_the_help_of_run_names_every_option(outlive: Outlive) -> None:
    text = outlive("run", "--help").stdout

    for option in OPTIONS:
        assert option.name in text
        assert option.short in text


@pytest.mark.parametrize(
    "words", [("nonsense",), ("why", "--nonsense"), ("runs", "-n", "many"), ("completion", "tcsh"), ("--nonsense",)]
)  # fmt: skip
def test_wrong_usage_is_told_on_stderr_with_status_2(
    outlive: Outlive, words: tuple[str, ...]
) -> None:
    done = outlive(*words)

    assert (2, "") == (done.status, done.stdout)
    assert "Error:" in done.stderr


@pytest.mark.parametrize("words", [("why",), ("why", "--json"), ("why", "20260101")])
def test_where_nothing_ran_why_says_so_with_status_2(
    outlive: Outlive, words: tuple[str, ...]
) -> None:
    done = outlive(*words)

    assert (2, "") == (done.status, done.stdout)
    assert "outlive run" in done.stderr or "outlive runs" in done.stderr
    assert "Traceback" not in done.stderr


def test_where_nothing_ran_the_list_is_empty_and_that_is_no_error(outlive: Outlive) -> None:
    done = outlive("runs")

    assert (0, "") == (done.status, done.stdout)
    assert str(outlive.home) in done.stderr
    assert (0, "", "") == (lambda it: (it.status, it.stdout, it.stderr))(outlive("runs", "--json"))


def test_why_has_status_1_for_findings_and_shows_the_line(failed_run: Outlive) -> None:
    done = failed_run("why")

    assert (1, "") == (done.status, done.stderr)
    assert "ValueError: cannot load cats" in done.stdout
    assert re.search(r"train\.py:5 in load", done.stdout)
    assert "def load(name):" in done.stdout, "with the lines around it"


def test_why_has_status_0_when_nothing_is_wrong(outlive: Outlive) -> None:
    outlive("run", "-c", "print('hello')")

    done = outlive("why")

    assert (0, "") == (done.status, done.stderr)
    assert "Nothing is wrong." in done.stdout


def test_why_as_json_is_one_object_on_stdout(failed_run: Outlive) -> None:
    done = failed_run("why", "--json")

    data = json.loads(done.stdout)
    assert (1, "") == (done.status, done.stderr)
    assert ("exception", 1, "uncaught-exception") == (
        data["ending"]["kind"], data["ending"]["exit_code"], data["cause"]["slug"]
    )  # fmt: skip


@pytest.mark.parametrize("form", ["name", "beginning", "last part", "folder"])
def test_why_finds_a_run_by_name_part_of_it_or_folder(failed_run: Outlive, form: str) -> None:
    (run,) = failed_run.runs
    short = run.name.rpartition("-")[2]
    named = {"name": run.name, "beginning": run.name[:15], "last part": short, "folder": str(run)}[
        form
    ]

    assert run.name == json.loads(failed_run("why", named, "--json").stdout)["run"]


def test_why_again_judges_the_record_and_finds_the_same(failed_run: Outlive) -> None:
    stored, again = failed_run("why", "--json"), failed_run("why", "--json", "--again")

    assert stored == again


def test_why_again_helps_when_the_stored_verdict_is_damaged(
    failed_run: Outlive, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(failed_run.runs[0], folder)
    (folder / run_folders.VERDICT_NAME).write_text('{"schema": "outlive.verdict/99"}')

    damaged, again = failed_run("why", str(folder)), failed_run("why", str(folder), "--again")

    assert 3 == damaged.status
    assert "outlive.verdict/99" in damaged.stderr and "Traceback" not in damaged.stderr
    assert 1 == again.status


@pytest.mark.parametrize("left", [0.0, 0.5, 0.99], ids=["nothing", "half", "nearly all"])
def test_a_verdict_that_was_cut_off_is_judged_anew(
    left: float, failed_run: Outlive, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(failed_run.runs[0], folder)
    stored = folder / run_folders.VERDICT_NAME
    whole = stored.read_bytes()
    stored.write_bytes(whole[: int(len(whole) * left)])

    done = failed_run("why", str(folder), "--json")

    assert (1, "uncaught-exception") == (done.status, json.loads(done.stdout)["cause"]["slug"])


def test_a_run_that_had_to_be_recorded_elsewhere_is_found(outlive: Outlive, tmp_path: Path) -> None:
    outlive("run", "-c", "raise SystemExit(5)")
    elsewhere = {"TMPDIR": str(tmp_path)}
    names = [run.name for run in outlive.runs]
    kept = outlive.home.rename(tmp_path / "kept")
    outlive.home.touch()  # no folder: nothing can be recorded below it

    ran = outlive("run", "-c", "raise SystemExit(6)", variables=elsewhere)
    last = outlive("why", "--json", variables=elsewhere)

    assert "is recorded in" in ran.stderr
    assert 6 == json.loads(last.stdout)["ending"]["exit_code"]
    outlive.home.unlink()
    kept.rename(outlive.home)
    rows = outlive("runs", "--json", variables=elsewhere).stdout.splitlines()
    assert [json.loads(last.stdout)["run"], *names] == [json.loads(row)["run"] for row in rows]
    assert 6 == json.loads(outlive("why", "--json", variables=elsewhere).stdout)["ending"]["exit_code"]  # fmt: skip


def test_runs_of_another_home_are_not_shown(outlive: Outlive, tmp_path: Path) -> None:
    elsewhere = {"TMPDIR": str(tmp_path)}
    other = {"OUTLIVE_HOME": "/proc/nowhere"}

    outlive("run", "-c", "raise SystemExit(6)", variables=elsewhere | other)

    assert 2 == outlive("why", variables=elsewhere).status
    assert 1 == outlive("why", variables=elsewhere | other).status


@pytest.mark.parametrize("width", [30, 60, 100])
def test_a_run_takes_one_line_of_a_terminal(width: int, failed_run: Outlive) -> None:
    rows = len(failed_run("runs", "--json").stdout.splitlines())
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = failed_run.environment | {"TERM": "xterm", "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)

    subprocess.run(
        [sys.executable, "-m", "outlive", "runs"], stdout=slave, env=environment, check=True
    )
    os.close(slave)
    shown = os.read(master, 65536).decode().splitlines()
    os.close(master)

    assert rows + 1 == len(shown), shown
    assert max(map(len, shown)) <= width
    if width >= 60:
        assert re.search(r"today +\d\d:\d\d +\w{7} .*uncaught-exception +train\.py$", shown[1])


def test_why_to_share_names_no_folder(failed_run: Outlive) -> None:
    done = failed_run("why", "--share")

    assert (1, "") == (done.status, done.stderr)
    assert "train.py:5" in done.stdout
    assert str(failed_run.folder) not in done.stdout
    assert str(failed_run.home) not in done.stdout


def test_runs_are_listed_with_their_cause(failed_run: Outlive) -> None:
    (run,) = failed_run.runs

    table, rows = failed_run("runs"), failed_run("runs", "--json")

    assert (0, 0) == (table.status, rows.status)
    day, line = table.stdout.splitlines()[1].split(maxsplit=1)
    assert "today" == day
    assert f"{run.name[-7:]}  exit status 1" in line and line.endswith(
        "uncaught-exception  train.py"
    )
    (row,) = [json.loads(line) for line in rows.stdout.splitlines()]
    assert (run.name, "uncaught-exception") == (row["run"], row["cause"])
    keys = {"run", "ended", "cause", "command", "began", "also", "folder", "revision", "notebook"}
    assert keys | {"host", "job", "rank"} == row.keys()
    assert row["command"].endswith("train.py")


def test_runs_are_listed_newest_first_and_as_many_as_asked(outlive: Outlive) -> None:
    for number in range(3):
        outlive("run", "-c", f"raise SystemExit({number + 5})")

    rows = [json.loads(line) for line in outlive("runs", "--json", "-n", "2").stdout.splitlines()]

    names = [run.name for run in outlive.runs]
    assert names[:0:-1] == [row["run"] for row in rows]
    assert 3 == len(outlive("runs", "--json", "-n", "0").stdout.splitlines())


def test_a_hostile_command_is_listed_and_not_obeyed(outlive: Outlive) -> None:
    outlive("run", "-c", "pass", "\x1b[31m[red]\nx")

    text = outlive("runs").stdout

    assert "\x1b" not in text
    assert r"\x1b[31m[red]\nx" in text.replace("\n", "").replace(" ", "")


EVERY_UNIT = [unit.slug for kind in KINDS for unit in discover(kind)]


def test_explain_without_a_name_lists_every_cause_and_check(outlive: Outlive) -> None:
    done = outlive("explain")

    assert 0 == done.status
    assert EVERY_UNIT == [line.split()[0] for line in done.stdout.splitlines()]
    assert set(UNITS) < set(EVERY_UNIT)


def test_explain_as_json_has_the_page(outlive: Outlive) -> None:
    one, every = outlive("explain", "interrupted", "--json"), outlive("explain", "--json")

    assert "interrupted" == json.loads(one.stdout)["slug"]
    assert EVERY_UNIT == [page["slug"] for page in json.loads(every.stdout)]


def test_explain_of_an_unknown_cause_says_so_with_status_2(outlive: Outlive) -> None:
    done = outlive("explain", "bad-luck")

    assert (2, "") == (done.status, done.stdout)
    assert "bad-luck" in done.stderr and "outlive explain" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_one_that_the_shell_reads(outlive: Outlive, shell: str) -> None:
    done = outlive("completion", shell)

    assert (0, "") == (done.status, done.stderr)
    assert "_OUTLIVE_COMPLETE" in done.stdout
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=done.stdout, text=True, check=False)
        assert 0 == checked.returncode


def completions(outlive: Outlive, line: str) -> list[str]:
    words = shlex.split(line)
    variables = {
        "_OUTLIVE_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - (0 if line.endswith(" ") else 1)),
    }
    done = outlive(variables=variables)
    assert (0, "") == (done.status, done.stderr)
    return done.stdout.splitlines()


def test_commands_causes_options_and_runs_are_completed(failed_run: Outlive) -> None:
    (run,) = failed_run.runs

    assert {f"plain,{name}" for name in COMMANDS} == set(completions(failed_run, "outlive "))
    assert ["plain,memory-limit-reached"] == completions(
        failed_run, "outlive explain memory-limit-r"
    )
    assert [f"plain,{run.name}"] == completions(failed_run, "outlive why 2")
    assert ["plain,--share"] == completions(failed_run, "outlive why --s")
    assert ["plain,--quiet"] == completions(failed_run, "outlive run --q")


def test_a_program_to_run_is_completed_by_the_shell_as_a_file(outlive: Outlive) -> None:
    assert ["file,tr"] == completions(outlive, "outlive run tr")
    assert ["file,da"] == completions(outlive, "outlive run train.py da")


PRINTS = "import os, sys; print(sys.argv[1:], os.getcwd() == os.environ['HERE'])\n"


@pytest.mark.parametrize(
    "way",
    [
        ["{file}", "a b", "--quiet"],
        ["./{name}", "a b", "--quiet"],
        ["--", "{file}", "a b", "--quiet"],
        [sys.executable, "{file}", "a b", "--quiet"],
        ["-m", "pack.age", "a b", "--quiet"],
        ["-c", PRINTS, "a b", "--quiet"],
        ["--", "bash", "-c", '"$0" "$1" "$2" "$3"', sys.executable, "{file}", "a b", "--quiet"],
        ["--outside", "{file}", "a b", "--quiet"],
        ["--no-record", "{file}", "a b", "--quiet"],
    ],
    ids=[
        "file",
        "relative",
        "divided",
        "python",
        "module",
        "code",
        "shell",
        "outside",
        "no record",
    ],
)
def test_a_program_gets_its_arguments_and_folder_in_every_way_to_run_it(
    outlive: Outlive, way: list[str]
) -> None:
    script = outlive.script("my script.py", PRINTS)
    outlive.script("pack/__init__.py", "")
    outlive.script("pack/age.py", PRINTS)
    words = [word.replace("{file}", str(script)).replace("{name}", script.name) for word in way]

    done = outlive("run", *words, variables={"HERE": str(outlive.folder)})

    assert (0, "['a b', '--quiet'] True\n", "") == (done.status, done.stdout, done.stderr)


def test_input_output_and_status_are_those_of_the_program(outlive: Outlive) -> None:
    code = "import sys; print(sys.stdin.read().upper()); sys.exit(7)"

    done = outlive("run", "--quiet", "-c", code, stdin="abc")

    assert (7, "ABC\n", "") == (done.status, done.stdout, done.stderr)


@pytest.mark.death
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"])
def test_a_death_by_signal_is_a_death_by_the_same_signal(outlive: Outlive, name: str) -> None:
    number = signal.Signals[name]

    done = outlive("run", "--quiet", "-c", f"import os; os.kill(os.getpid(), {number})")

    assert (-number, "", "") == (done.status, done.stdout, done.stderr)
    assert name == json.loads(outlive("why", "--json").stdout)["ending"]["signal"]


def test_the_verdict_is_on_stderr_after_a_death(outlive: Outlive) -> None:
    done = outlive("run", "-c", "print('out'); raise SystemExit(3)")

    assert (3, "out\n") == (done.status, done.stdout)
    assert "exited-by-program" in done.stderr
    assert "\x1b" not in done.stderr


def test_quiet_prints_nothing_and_keeps_the_record(outlive: Outlive) -> None:
    for option in ("--quiet", "-q"):
        done = outlive("run", option, "-c", "raise SystemExit(3)")

        assert (3, "", "") == (done.status, done.stdout, done.stderr)

    assert 2 == len(outlive.runs)
    assert 1 == outlive("why").status


def test_run_with_json_prints_the_verdict_as_json_on_stderr(outlive: Outlive) -> None:
    done = outlive("run", "--json", "-c", "raise SystemExit(3)")

    assert (3, "") == (done.status, done.stdout)
    assert "exited-by-program" == json.loads(done.stderr)["cause"]["slug"]


def test_run_with_json_prints_nothing_when_all_is_well(outlive: Outlive) -> None:
    done = outlive("run", "--json", "-c", "pass")

    assert (0, "", "") == (done.status, done.stdout, done.stderr)


def test_without_a_record_nothing_is_recorded(outlive: Outlive) -> None:
    done = outlive("run", "--no-record", "-c", "raise SystemExit(3)")

    assert 3 == done.status
    assert [] == outlive.runs


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "No command given"),
        (("--",), "No command given"),
        (("--quiet",), "No command given"),
        (("--nonsense", "x.py"), "--nonsense"),
        (("-m",), "-m needs"),
        (("-c",), "-c needs"),
    ],
)
def test_run_without_a_program_is_wrong_usage(
    outlive: Outlive, words: tuple[str, ...], said: str
) -> None:
    done = outlive("run", *words)

    assert (2, "") == (done.status, done.stdout)
    assert said in done.stderr
    assert [] == outlive.runs


def test_a_command_that_begins_with_a_dash_is_run_after_the_divider(outlive: Outlive) -> None:
    program = outlive.script("-odd", "#!/bin/sh\necho odd\n")
    program.chmod(0o755)

    done = outlive(
        "run", "--", "-odd", variables={"PATH": f"{outlive.folder}:{os.environ['PATH']}"}
    )

    assert (0, "odd\n") == (done.status, done.stdout)


@pytest.mark.parametrize(("name", "status"), [("no-such-program", 127), ("./plain", 126)])
def test_what_cannot_be_started_has_the_status_of_a_shell_and_leaves_no_run(
    outlive: Outlive, name: str, status: int
) -> None:
    outlive.script("plain", "not executable")

    done = outlive("run", name)

    assert (status, "") == (done.status, done.stdout)
    assert name in done.stderr and "Traceback" not in done.stderr
    assert [] == outlive.runs


def test_everything_after_the_program_belongs_to_it() -> None:
    request = parse(["-q", "train.py", "--quiet", "--", "--json"])

    assert [sys.executable, "train.py", "--quiet", "--", "--json"] == request.command
    assert Options(quiet=True) == request.options


def test_the_options_are_the_fields_of_the_request_and_do_not_change() -> None:
    options = parse(["--json", "--metrics=a.prom", "--heal", "true"]).options

    assert Options(json=True, metrics="a.prom", heal=3) == options
    assert {option.field for option in OPTIONS} == set(Options.__slots__)
    with pytest.raises(AttributeError):
        options.quiet = True


def test_a_usage_error_is_raised_with_help() -> None:
    with pytest.raises(UsageError) as refused:
        parse([])

    assert refused.value.help
    assert 2 == refused.value.exit_code


def test_the_command_line_can_be_called_from_python(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path))

    assert 2 == main(["explain", "bad-luck"])
    assert capsys.readouterr().err.startswith(
        "outlive: There is no cause, check, rule, remedy or watch 'bad-luck'.\n         "
    )


def test_an_installed_command_and_the_module_are_the_same(outlive: Outlive) -> None:
    installed = Path(sys.executable).with_name("outlive")
    if not installed.exists():
        pytest.skip("outlive is not installed in this environment")

    done = subprocess.run([installed, "--version"], capture_output=True, text=True, check=False)

    assert outlive("--version").stdout == done.stdout


def test_a_reader_that_has_seen_enough_is_no_error(failed_run: Outlive) -> None:
    for words in (["explain", "--json"], ["why"], ["runs"], ["completion", "bash"]):
        command = shlex.join([sys.executable, "-u", "-m", "outlive", *words])
        done = subprocess.run(
            ["bash", "-c", f"{command} | true; exit ${{PIPESTATUS[0]}}"],
            env=failed_run.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

        assert "" == done.stderr, words
        assert done.returncode in (0, 1), words


def test_a_terminal_of_few_letters_gets_the_verdict_too(failed_run: Outlive) -> None:
    for words in (["why"], ["why", "--json"], ["explain", "interrupted"], ["runs"], ["--help"]):
        done = failed_run(*words, variables={"PYTHONIOENCODING": "ascii"})

        assert "Traceback" not in done.stderr, words
        assert done.stdout and done.stdout.isascii(), words


def test_no_color_is_obeyed_where_colours_are_forced(failed_run: Outlive) -> None:
    forced = {"FORCE_COLOR": "1", "TERM": "xterm"}

    assert "\x1b[" in failed_run("why", variables=forced).stdout
    plain = failed_run("why", variables=forced | {"NO_COLOR": "1"}).stdout
    assert not re.search(r"\x1b\[[\d;]*3\d", plain)


def test_two_runs_at_once_have_a_record_each(outlive: Outlive) -> None:
    """Each waits for the other's file, so that they do run at the same time."""
    code = (
        "import os, sys, time\n"
        "mine, other, status = sys.argv[1:]\n"
        "open(mine, 'w').close()\n"
        "while not os.path.exists(other): time.sleep(0.01)\n"
        "sys.exit(int(status))\n"
    )
    script = outlive.script("wait.py", code)
    done: dict[int, int] = {}

    def start(mine: str, other: str, status: int) -> None:
        done[status] = outlive("run", "--quiet", str(script), mine, other, str(status)).status

    threads = [
        threading.Thread(target=start, args=("a", "b", 5)),
        threading.Thread(target=start, args=("b", "a", 6)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)

    assert {5: 5, 6: 6} == done
    told = [json.loads(outlive("why", run.name, "--json").stdout) for run in outlive.runs]
    assert {5, 6} == {verdict["ending"]["exit_code"] for verdict in told}


def test_a_torn_record_given_by_its_folder_gets_a_verdict(
    failed_run: Outlive, tmp_path: Path
) -> None:
    folder = tmp_path / "torn"
    shutil.copytree(failed_run.runs[0], folder)
    (folder / run_folders.VERDICT_NAME).unlink()
    log = folder / run_folders.LOG_NAME
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 3])

    done = failed_run("why", str(folder), "--json")

    assert (1, "") == (done.status, done.stderr)
    assert "uncaught-exception" == json.loads(done.stdout)["cause"]["slug"]


def test_a_record_of_which_nothing_is_left_is_no_traceback(
    failed_run: Outlive, tmp_path: Path
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / run_folders.LOG_NAME).touch()

    done = failed_run("why", str(folder))

    assert (0, "") == (done.status, done.stderr)
    assert "Cause unknown" in done.stdout


WAITS = "import os, sys, time\nprint(os.getpid(), os.getppid(), flush=True)\nsys.stdin.read()\n"


def start_waiting(outlive: Outlive) -> tuple[subprocess.Popen[str], int, int]:
    """A recorded program that waits for its input to end: the process of `outlive run`, and both numbers."""
    script = outlive.script("waits.py", WAITS)
    process = subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", "--quiet", str(script)],
        env=outlive.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    program, supervisor = map(int, process.stdout.readline().split())
    return process, program, supervisor


def test_a_run_that_goes_on_is_not_called_dead(outlive: Outlive) -> None:
    process, _, _ = start_waiting(outlive)
    try:
        told = outlive("why")
        (row,) = outlive("runs", "--json").stdout.splitlines()
    finally:
        process.communicate("", timeout=SECONDS)

    assert 2 == told.status
    assert "still running" in told.stderr
    assert "still running" == json.loads(row)["ended"]
    assert 0 == outlive("why").status


@pytest.mark.death
def test_a_record_whose_supervisor_was_killed_says_so(outlive: Outlive) -> None:
    process, program, supervisor = start_waiting(outlive)
    os.kill(supervisor, signal.SIGKILL)
    process.communicate("", timeout=SECONDS)
    for _ in range(1000):
        if not os.path.exists(f"/proc/{program}"):
            break
        threading.Event().wait(0.01)

    told, again = outlive("why"), outlive("why", "--json")

    assert "Outlive was killed before the program" in told.stdout
    assert "Traceback" not in told.stderr
    assert None is json.loads(again.stdout)["cause"]
    (row,) = outlive("runs", "--json").stdout.splitlines()
    assert "incomplete: Outlive was killed too" == json.loads(row)["ended"]


def test_a_raised_system_exit_is_named_and_no_crash_is_missed(outlive: Outlive) -> None:
    text = "def check(given):\n    if not given:\n        raise SystemExit(3)\n\n\ncheck(0)\n"

    done = outlive("run", "--json", str(outlive.script("leaves.py", text)))

    verdict = json.loads(done.stderr)
    assert 3 == done.status
    assert ("exited-by-program", 3) == (verdict["cause"]["slug"], verdict["cause"]["where"]["line"])
    assert "crash" not in verdict["gaps"]


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        (["trian.py"], "There is no 'trian.py' in this folder.", "Did you mean train.py?"),
        (["qqq.py"], "There is no 'qqq.py' in this folder.", "the working directory"),
        (["gone/train.py"], "There is no folder 'gone'", ""),
        (["--", "trian.py"], "There is no 'trian.py' in this folder.", "Did you mean train.py?"),
        (["--hangafter", "3"], "There is no option --hangafter.", "Did you mean --hang-after?"),
    ],
)
def test_a_script_or_option_that_is_not_there_is_said_before_anything_runs(
    words: list[str], says: str, hint: str, outlive: Outlive
) -> None:
    outlive.script("train.py", "print('ran')")

    done = outlive("run", *words)

    assert 2 == done.status  # Python's own status for it
    assert says in done.stderr
    assert hint in done.stderr
    assert [] == outlive.runs


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("run", "trian.py"), "train.py"),
        (("run", "./train"), "./train.py"),
        (("run", "pythno3", "train.py"), "python3"),
        (("run", "--hael", "train.py"), "--heal"),
        (("rnu", "train.py"), "'run'"),
        (("why", "--agian"), "'--again'"),
        (("doctor", "--vrbose"), "'--verbose'"),
        (("doctor", "disk-nearly-ful"), "disk-nearly-full"),
        (("doctor", "--python", "bin/pythno3"), "bin/python3"),
        (("lint", "trian.py"), "train.py"),
        (("lint", "--select", "future-never-aksed", "."), "future-never-asked"),
        (("scan", "fotos"), "photos"),
        (("plan", "trian.py:dataset"), "train.py"),
        (("detect", "modle.tflite", "photos", "--out", "out"), "model.tflite"),
        (("detect", "model.tflite", "fotos", "--out", "out"), "photos"),
        (("shrink", "modle.tflite"), "model.tflite"),
        (("runs", "--cause", "kept-in-contaner"), "kept-in-container"),
        (("why", "run.zpi"), "run.zip"),
        (("compare", "run.zpi", "run.zip"), "run.zip"),
        (("explain", "kept-in-contaner"), "kept-in-container"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)  # fmt: skip
def test_a_mistyped_name_gets_a_suggestion(
    outlive: Outlive, words: tuple[str, ...], meant: str
) -> None:
    for name in ("train.py", "model.tflite", "photos/a.jpg", "run.zip", "bin/python3"):
        outlive.script(name, "dataset = None\n").chmod(0o755)

    done = outlive(*words, variables={"PATH": str(outlive.folder / "bin")})

    assert done.status in (2, 127), done.stderr
    assert "" == done.stdout
    assert f"Did you mean {meant}?" in done.stderr


def test_a_mistyped_dataset_of_a_script_gets_a_suggestion(outlive: Outlive) -> None:
    script = outlive.script("train.py", "import json\ndataset = [1]\n")

    done = outlive("plan", f"{script.name}:datset")

    assert 2 == done.status
    assert "train.py does not define 'datset'." in done.stderr
    assert "Did you mean dataset? It defines: dataset\n" in done.stderr
