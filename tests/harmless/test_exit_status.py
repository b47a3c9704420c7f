"""`$?` is the same, whatever the program does."""

import os
import signal
import subprocess
import sys

import pytest

SIGNALS = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
    "SIGKILL",
    "SIGRT",
]

WAYS = [
    "exception",
    "chained",
    "thread",
    "recursion",
    "_exit",
    "sys.exit",
    "sys.exit-none",
    "sys.exit-nothing",
    "sys.exit-text",
    "sys.exit-object",
    "sys.exit-true",
    "SystemExit",
    "interrupt",
    "syntax",
    "abort",
    "bad-pointer",
]


def sweep(how, runner, program, scripts):
    command = [sys.executable, program("sweep.py"), how]
    ending = runner.bare(*command, data="\n".join(scripts).encode())
    assert ending.status == 0, ending.stderr.decode()
    pairs = (line.rpartition(" ") for line in ending.stdout.decode().splitlines())
    return {script: int(status) for script, _, status in pairs}


def test_every_exit_code_comes_through(runner, program):
    expected = {f"exit {code}": code << 8 for code in range(256)}

    actual = sweep("watched", runner, program, expected)

    assert expected == actual


@pytest.mark.death
def test_every_signal_that_a_process_can_die_of_comes_through(runner, program):
    harmless = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
    stopping = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
    of_the_c_library = {32, 33}  # posix_spawn of glibc lets its own two be ignored
    numbers = set(range(1, 65)) - harmless - stopping - of_the_c_library
    scripts = [f"ulimit -c 0; env kill -{number} $$; exit 7" for number in sorted(numbers)]

    bare = sweep("bare", runner, program, scripts)
    watched = sweep("watched", runner, program, scripts)

    assert signal.SIGKILL == bare[f"ulimit -c 0; env kill -{signal.SIGKILL} $$; exit 7"]
    assert bare == watched


@pytest.mark.death
@pytest.mark.parametrize("name", SIGNALS)
def test_a_python_program_that_dies_of_a_signal_dies_of_it_for_the_shell_too(name, runner, program):
    command = [sys.executable, program("ends.py"), "signal", name]

    bare, watched = runner.bare(*command), runner.watched(*command)

    assert bare.status < 0, "the program survived"
    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]


@pytest.mark.death
@pytest.mark.parametrize("way", WAYS)
def test_status_and_last_words_are_the_same(way, runner, program):
    command = [sys.executable, program("ends.py"), way, "77"]

    bare, watched = runner.bare(*command), runner.watched(*command)

    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]


@pytest.mark.death
@pytest.mark.parametrize("way", ["failing-kill", "sys.exit-wrong"])
def test_a_call_that_fails_in_a_wrapped_function_has_the_same_traceback(way, runner, program):
    command = [sys.executable, program("ends.py"), way, "77"]

    bare, watched = runner.bare(*command), runner.watched(*command)

    assert bare.status == watched.status
    assert bare.stderr == watched.stderr[: len(bare.stderr)]


@pytest.mark.parametrize("name", ["no-such-command-here", "./missing", "/etc/passwd/below-a-file"])
def test_a_command_that_is_not_found_gives_the_status_that_env_gives(name, runner, tmp_path):
    bare = runner.bare("env", name, cwd=tmp_path)

    watched = runner.watched(name, cwd=tmp_path)

    assert bare.status == watched.status
    assert b"" == watched.stdout


@pytest.mark.parametrize("kind", ["no permission", "a folder"])
def test_a_command_that_cannot_be_executed_gives_126(kind, runner, tmp_path):
    path = tmp_path / "thing"
    path.mkdir() if kind == "a folder" else path.write_text("#!/bin/sh\nexit 0\n")

    watched = runner.watched(str(path))

    assert 126 == watched.status


@pytest.mark.parametrize(
    "prefix", [[], ["bash", "-c", "trap '' CHLD; exec \"$@\"", "bash"]], ids=len
)
def test_a_script_without_a_first_line_is_run_by_sh_as_execvp_does(prefix, runner, tmp_path):
    script = tmp_path / "script"
    script.write_text('echo "$0 $1"\nexit 4\n')
    script.chmod(0o755)

    bare = runner.bare("env", "./script", "an argument", cwd=tmp_path)
    watched = runner.bare(*prefix, *runner.command("./script", "an argument"), cwd=tmp_path)

    assert (4, b"./script an argument\n") == bare[:2]
    assert bare[:2] == watched[:2]


def test_outlive_returns_though_a_daemon_of_the_program_lives_on(runner, program):
    release_read, release_write = os.pipe()
    alive_read, alive_write = os.pipe()
    command = [sys.executable, program("leaves_a_daemon.py"), str(release_read), str(alive_write)]

    child = runner.start(
        runner.command(*command),
        pass_fds=(release_read, alive_write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(release_read)
    os.close(alive_write)
    status = child.wait(60)
    daemon_said_before = os.read(alive_read, 100)
    os.close(release_write)
    daemon_said_after = os.read(alive_read, 100)

    assert 5 == status
    assert b"alive" == daemon_said_before
    assert b"released" == daemon_said_after
    assert b"" == os.read(alive_read, 100), "somebody but the daemon holds its pipe"
    os.close(alive_read)
