"""On a terminal: what the program sees, what keys do, and what a shell with job control makes of it."""

import re
import signal
import sys

import pytest

pytestmark = pytest.mark.death


@pytest.fixture(params=["bare", "watched"])
def command(request, runner):
    """A command as it is, and with Outlive before it: both must pass the same test."""
    return (lambda *words: list(words)) if request.param == "bare" else runner.command


@pytest.fixture
def shell(terminal):
    """An interactive bash with job control."""
    opened = terminal(
        "bash", "--norc", "--noprofile", "--noediting", "-i", PS1="<prompt>", PS2="", HISTFILE=""
    )
    opened.wait_for("<prompt>")
    return opened


def say(shell, text):
    """Type a line and wait until the prompt is there again."""
    prompts = shell.seen.count(b"<prompt>")
    shell.type(text + "\n")
    return shell.wait_for("<prompt>", prompts + 1)


def status(shell):
    say(shell, "echo status=$?.")
    return int(re.findall(r"status=(\d+)\.\r\n", shell.seen.decode())[-1])


def test_the_program_sees_the_terminal_and_its_size_and_hears_of_a_new_one(
    command, terminal, program
):
    opened = terminal(*command(sys.executable, program("on_terminal.py")))

    opened.wait_for("foreground")
    opened.resize(44, 99)
    opened.wait_for("resized")
    opened.type("text\n")
    opened.wait_for("line")
    opened.type("q\n")
    ended = opened.finish()
    seen = opened.seen.decode()

    assert 6 == ended
    assert "tty [True, True, True]" in seen
    assert "size (101, 33)" in seen
    assert 1 == seen.count("resized (99, 44)")
    assert "line 'text\\n'" in seen


@pytest.mark.parametrize(
    "way", [("sys.exit", "0"), ("signal", "SIGSEGV"), ("exception", "x")], ids=str
)
def test_the_settings_of_the_terminal_are_the_same_afterwards(way, command, terminal, program):
    opened = terminal(*command(sys.executable, program("ends.py"), *way))
    before = opened.attributes()

    opened.child.wait(60)
    after = opened.attributes()

    assert before == after


def test_a_program_in_raw_mode_gets_every_key(command, terminal, program):
    opened = terminal(*command(sys.executable, program("raw_terminal.py")))
    opened.wait_for("<ready>")

    opened.type("\x03")
    opened.wait_for("key b'\\x03'")
    ended = opened.finish()

    assert 0 == ended


@pytest.mark.parametrize(("key", "name"), [("\x03", "SIGINT"), ("\x1c", "SIGQUIT")])
def test_a_key_that_interrupts_reaches_the_program_once(key, name, command, terminal, program):
    opened = terminal(*command(sys.executable, program("waits_on_terminal.py")))
    opened.wait_for("<ready>")

    opened.type(key)
    opened.wait_for(f"<{name}>")
    opened.type("more\n")
    opened.wait_for("<line more>")
    opened.type("q\n")
    ended = opened.finish()

    assert 6 == ended
    assert 1 == opened.seen.decode().count(f"<{name}>")


@pytest.mark.parametrize(("key", "expected"), [("\x03", 130), ("\x1c", 131)])
@pytest.mark.parametrize("kind", ["python", "sh"])
def test_a_key_that_ends_the_program_gives_the_shell_the_same_status(
    key, expected, kind, command, shell, program
):
    script = program("waits.sh" if kind == "sh" else "waits.py")
    say(shell, "ulimit -c 0")
    shell.type(" ".join(command(sys.executable if kind == "python" else "sh", script)) + "\n")
    shell.wait_for("<ready>")

    shell.type(key)
    shell.wait_for("<prompt>", 3)

    assert expected == status(shell)


def test_ctrl_z_and_fg(command, shell, program):
    shell.type(" ".join(command(sys.executable, program("waits_on_terminal.py"))) + "\n")
    shell.wait_for("<ready>")

    for round_ in (1, 2, 3):
        shell.type("\x1a")
        shell.wait_for("<prompt>", 1 + round_)
        shell.type("fg\n")
        shell.wait_for("<SIGCONT>", round_)
        shell.type(f"round {round_}\n")
        shell.wait_for(f"<line round {round_}>")
    shell.type("q\n")
    shell.wait_for("<prompt>", 5)

    assert 3 == shell.seen.count(b"Stopped")
    assert 3 == shell.seen.count(b"<SIGCONT>")
    assert 6 == status(shell)


def test_ctrl_z_bg_and_wait(command, shell, program):
    shell.type(" ".join(command(sys.executable, program("stops_itself.py"))) + "\n")

    shell.wait_for("<prompt>", 2)
    say(shell, "bg")
    say(shell, "wait %1")
    shell.wait_for("<went on>")

    assert 1 == shell.seen.count(b"<went on>")
    assert 8 == status(shell)


def test_a_background_job_that_reads_the_terminal_is_stopped_until_fg(command, shell, program):
    say(shell, " ".join(command(sys.executable, program("waits_on_terminal.py"))) + " &")
    shell.wait_for("<ready>")

    say(shell, "until jobs %1 | grep -q Stopped; do :; done")
    shell.type("fg\n")
    shell.wait_for("<SIGCONT>")
    shell.type("text\n")
    shell.wait_for("<line text>")
    shell.type("q\n")
    shell.wait_for("<prompt>", 4)

    assert 6 == status(shell)


def test_kill_by_job_number(command, shell, program):
    say(shell, " ".join(command("sleep", "60")) + " &")

    say(shell, "kill %1; wait %1")

    assert 128 + signal.SIGTERM == status(shell)


def test_a_hang_up_ends_the_program(command, terminal, runner):
    opened = terminal(*command("sh", "-c", "echo ready; exec sleep 60"))
    opened.wait_for("ready")

    opened.close()

    assert -signal.SIGHUP == opened.child.wait(60)


def test_a_healthy_run_says_one_line_on_the_terminal(runner, terminal):
    opened = terminal(*runner.command("echo", "hello"))

    opened.finish()
    lines = opened.seen.decode().splitlines()

    assert "hello" == lines[0]
    assert 2 == len(lines), lines
    # With the program's name where it was judged: somebody else's OOM kill on this machine is enough for that.
    assert re.fullmatch(r".*outlive: (echo )?finished after .*", lines[1]), lines


GROUPS = pytest.mark.parametrize(
    "call", [("setpgrp",), ("setpgid", "0", "0")], ids=lambda call: call[0]
)


@GROUPS
def test_a_program_that_makes_itself_a_group_keeps_the_terminal(call, command, shell, program):
    script = program("makes_itself_a_group.py")
    shell.type(" ".join(command(sys.executable, script, *call)) + "\n")
    shell.wait_for("<leads its group True>")

    shell.type("before\n")
    shell.wait_for("<line before>")
    shell.type("\x03")
    shell.wait_for("<SIGINT>")
    shell.resize(44, 99)
    shell.wait_for("<SIGWINCH>")
    for round_ in (1, 2):
        shell.type("\x1a")
        shell.wait_for("<prompt>", 1 + round_)
        shell.type("fg\n")
        shell.type(f"round {round_}\n")
        shell.wait_for(f"<line round {round_}>")
    shell.type("q\n")
    shell.wait_for("<prompt>", 4)

    assert 2 == shell.seen.count(b"Stopped")
    assert 1 == shell.seen.count(b"<SIGINT>")
    assert 1 == shell.seen.count(b"<SIGWINCH>")
    assert 6 == status(shell)


@GROUPS
def test_keys_reach_a_program_with_its_own_group_that_has_not_read_yet(
    call, command, shell, program
):
    script = program("waits_in_own_group.py")
    shell.type(" ".join(command(sys.executable, script, *call)) + "\n")
    shell.wait_for("<ready>")

    shell.type("\x1a")
    shell.wait_for("<prompt>", 2)
    shell.type("fg\n")
    shell.wait_for("<continued>")
    shell.type("\x03")
    shell.wait_for("<prompt>", 3)

    assert 1 == shell.seen.count(b"<continued>")
    assert 130 == status(shell)


def test_keys_reach_a_program_that_asks_for_a_session(command, shell, program):
    script = program("makes_itself_a_group.py")
    shell.type(" ".join(command(sys.executable, script, "setsid")) + "\n")
    shell.wait_for("<leads its group True>")

    shell.type("text\n")
    shell.wait_for("<line text>")
    shell.type("\x03")
    shell.wait_for("<SIGINT>")
    shell.type("q\n")
    shell.wait_for("<prompt>", 2)

    assert 1 == shell.seen.count(b"<SIGINT>")
    assert 6 == status(shell)


@GROUPS
def test_a_job_is_ended_with_its_workers_though_the_program_leads_its_own_group(
    call, command, shell, program
):
    script = program("leads_workers.py")
    say(shell, " ".join(command(sys.executable, script, *call)) + " &")
    shell.wait_for("<worker ready>", 2)

    say(shell, "kill %1; wait %1")
    ended = status(shell)
    shell.wait_for("<worker ended>", 2)

    assert 128 + signal.SIGTERM == ended


@GROUPS
def test_the_other_end_of_a_pipeline_keeps_the_terminal_too(call, command, shell, program):
    """`… | less`: the one reads keys, the other one leads a group of its own."""
    reads = program("waits_on_terminal.py")
    script = program("waits_in_own_group.py")
    left = " ".join(command(sys.executable, script, *call))
    shell.type(f"{left} | {{ cat & exec {sys.executable} {reads} < /dev/tty; }}\n")
    shell.wait_for("<ready>", 2)

    shell.type("text\n")
    shell.wait_for("<line text>")
    shell.type("\x03")
    shell.wait_for("<SIGINT>")
    shell.type("q\n")
    shell.wait_for("<prompt>", 2)
    say(shell, "echo ${PIPESTATUS[*]}.")

    assert "130 6.\r\n" in shell.seen.decode()


def test_a_program_in_a_script_that_makes_itself_a_group_leaves_the_foreground_as_bare(
    command, shell, program, tmp_path
):
    """The leader of the job is the script: there `setpgrp` does the same with and without Outlive."""
    made = " ".join(command(sys.executable, program("makes_itself_a_group.py"), "setpgrp"))
    script = tmp_path / "script.sh"
    script.write_text(
        f"{made} < /dev/tty &\nuntil grep -q 'State:.T' /proc/$!/status; do :; done\n"
        "echo it is stopped; kill -KILL $!; wait $!\n"
    )

    say(shell, f"bash {script}")

    assert b"it is stopped" in shell.seen
