"""What happens to the supervisor does not happen to the program; what was meant for the program reaches it, once."""

import json
import os
import signal
import sys

import pytest

pytestmark = pytest.mark.death

#: Sent last, to the supervisor alone: when it has come, whatever was to be passed on before it has come too.
LAST = signal.SIGRTMIN + 6

SENT = [
    *(
        getattr(signal, f"SIG{name}")
        for name in (
            *("TERM", "INT", "HUP", "QUIT", "USR1", "ALRM", "VTALRM", "PROF", "IO", "PWR", "URG"),
            *("WINCH", "CONT", "ABRT", "TRAP", "SYS"),
        )
    ),
    signal.SIGRTMIN + 5,
]


@pytest.fixture(params=["python", "python -I", "sigwait", "bash"])
def counting(request, runner, program):
    """A program that counts signals: with the recorder inside and without, in handlers and in sigwait."""
    commands = {
        "python": [sys.executable, program("counts_signals.py")],
        "python -I": [sys.executable, "-I", program("counts_signals.py")],
        "sigwait": [sys.executable, program("counts_signals.py"), "--wait"],
        "bash": ["bash", program("counts_signals.sh")],
    }
    child = runner.start(runner.command(*commands[request.param], switches=["--quiet"]))
    word, pid = child.stdout.readline().split()
    assert b"ready" == word
    return child, int(pid)


def seen_until_last(child, wanted):
    """All signals that the program told of: first the wanted one, then all up to the one that was sent last."""
    seen = [int(child.stdout.readline())]
    while seen[-1] != wanted:
        seen.append(int(child.stdout.readline()))
    os.kill(child.pid, LAST)
    while seen[-1] != LAST:
        seen.append(int(child.stdout.readline()))
    return seen[:-1]


@pytest.mark.parametrize("number", SENT, ids=lambda n: signal.Signals(n).name if n < 32 else "RT")
def test_a_signal_to_the_supervisor_reaches_the_program_once(number, counting, runner):
    child, _ = counting

    os.kill(child.pid, number)
    seen = seen_until_last(child, number)
    ending = runner.finish(child)

    assert [number] == seen
    assert 0 == ending.status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_to_the_whole_group_reaches_the_program_once(number, counting, runner):
    child, _ = counting

    os.killpg(child.pid, number)
    seen = seen_until_last(child, number)
    ending = runner.finish(child)

    assert [number] == seen
    assert 0 == ending.status


def test_two_signals_one_soon_after_the_other_both_reach_the_program(counting, runner):
    child, _ = counting

    os.kill(child.pid, signal.SIGUSR1)
    first = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGUSR1)
    seen = seen_until_last(child, signal.SIGUSR1)
    ending = runner.finish(child)

    assert signal.SIGUSR1 == first
    assert [signal.SIGUSR1] == seen
    assert 0 == ending.status


def test_a_signal_to_the_program_alone_is_its_own_affair(counting, runner):
    child, pid = counting

    os.kill(pid, signal.SIGTERM)
    seen = seen_until_last(child, signal.SIGTERM)
    ending = runner.finish(child)

    assert [signal.SIGTERM] == seen
    assert 0 == ending.status


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGABRT", "SIGSYS", "SIGUSR1"])
def test_a_signal_to_the_supervisor_ends_a_program_that_does_not_catch_it(name, runner):
    number = getattr(signal, name)
    child = runner.start(runner.command("sh", "-c", "echo ready; exec cat"))
    child.stdout.readline()

    os.kill(child.pid, number)
    status = child.wait(60)

    assert -number == status


def test_an_alarm_set_before_the_start_ends_the_program(runner, program):
    command = [sys.executable, program("sets_alarm.py")]

    bare = runner.bare(*command, "sleep", "30")
    watched = runner.bare(*command, *runner.command("sleep", "30"))

    assert -signal.SIGALRM == bare.status
    assert bare.status == watched.status


def test_the_program_lives_on_when_the_supervisor_is_killed(runner, program):
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    child.stdout.readline()

    os.kill(child.pid, signal.SIGKILL)
    status = child.wait(60)
    said, errors = child.communicate(b"live\n", timeout=60)
    why = runner.why("--json")

    assert -signal.SIGKILL == status
    assert b"heard live\n" == said
    assert b"" == errors
    assert why.status in (0, 1)
    assert "outlive.verdict/1" == json.loads(why.stdout)["schema"]


def test_the_record_tells_of_an_exception_after_the_supervisor_was_killed(runner, program):
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    child.stdout.readline()

    os.kill(child.pid, signal.SIGKILL)
    child.wait(60)
    said, errors = child.communicate(b"fail\n", timeout=60)
    why = runner.why("--json")

    assert b"heard fail\n" == said
    assert errors.endswith(b"ValueError: as was wished\n")
    assert 1 == why.status
    assert "as was wished" in why.stdout.decode()


def test_the_program_does_not_notice_that_the_supervisor_is_stopped(runner, program):
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    child.stdout.readline()

    os.kill(child.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED)
    child.stdin.write(b"go on\n")
    child.stdin.flush()
    heard = child.stdout.readline()
    os.kill(child.pid, signal.SIGCONT)
    ending = runner.finish(child)

    assert b"heard go on\n" == heard
    assert 9 == ending.status


def test_a_program_that_is_stopped_and_continued_by_number_finishes(runner, program):
    child = runner.start(runner.command(sys.executable, program("talks.py")))
    pid = int(child.stdout.readline())

    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED)  # the shell is told
    os.kill(pid, signal.SIGCONT)
    ending = runner.finish(child, b"go on\n")

    assert 9 == ending.status


@pytest.mark.parametrize(
    "how", [[], ["--foreground"], ["--signal=INT"], ["--kill-after=20"]], ids=str
)
def test_timeout_ends_the_program_and_tells_of_it(how, runner):
    script = ["sh", "-c", "exec cat"]
    read_end, write_end = os.pipe()

    bare = runner.bare("timeout", *how, "0.7", *script, stdin=read_end)
    watched = runner.bare("timeout", *how, "0.7", *runner.command(*script), stdin=read_end)
    os.close(read_end)
    os.close(write_end)

    assert 124 == bare.status
    assert bare.status == watched.status
    assert bare.stdout == watched.stdout


def test_a_program_that_signals_its_parent_reaches_the_one_it_would_have(runner):
    script = "trap 'echo told' USR1; \"$@\" & until wait $!; do :; done"
    command = ["sh", "-c", "kill -USR1 $PPID; sleep 0.3"]

    bare = runner.bare("bash", "-c", script, "bash", *command)
    watched = runner.bare("bash", "-c", script, "bash", *runner.command(*command, switches=["-q"]))

    assert b"told\n" == bare.stdout
    assert bare == watched


@pytest.mark.parametrize("numbers", [["USR1"], ["RTMIN+3", "USR2", "USR1"]], ids=len)
def test_what_a_program_sends_to_its_parent_as_the_last_thing_reaches_it(numbers, runner, program):
    parent = [sys.executable, "-I", program("hears_its_child.py")]
    command = ["bash", "-c", "; ".join(f"kill -{number} $PPID" for number in numbers)]

    bare = runner.bare(*parent, *command)
    watched = runner.bare(*parent, *runner.command(*command, switches=["-q"]))

    assert (b"[0]\n" if len(numbers) == 1 else b"[0, 1, 2]\n") == bare.stdout
    assert bare == watched
