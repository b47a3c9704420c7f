"""SIGHUP: whose was it? The kernel's and an interactive shell's mean a lost terminal; a script's or a daemon's do not."""

from __future__ import annotations

import pytest

from made_evidence import PID, ask, evidence
from outlive.model.events import Program, Received
from outlive.model.findings import Confidence

BY_KERNEL = Received("SIGHUP", sender_pid=None)


def sent_by(command: str) -> Received:
    return Received("SIGHUP", sender_pid=77, sender=command)


def confidence(got: Received | None, *, on_terminal: bool = True) -> str | None:
    program = Program(pid=PID, own_pids=frozenset({PID}), on_terminal=on_terminal)
    view = evidence("SIGHUP", program=program, received=(got,) if got else ())
    found = ask("terminal-hung-up", view)
    return found[0].confidence.name if found else None


def test_the_kernel_sends_a_hang_up_only_for_a_terminal() -> None:
    assert "PROVEN" == confidence(BY_KERNEL)


@pytest.mark.parametrize(
    "command", ["bash", "-bash", "/bin/bash --login -i", "-zsh", "/usr/bin/fish -l"]
)
def test_an_interactive_shell_hands_the_hang_up_on(command: str) -> None:
    assert "LIKELY" == confidence(sent_by(command))


@pytest.mark.parametrize(
    "command",
    ["bash stop.sh", "bash -c kill", "sh -e deploy.sh", "kill -HUP 5", "python watchdog.py", "systemd --user", ""],
)  # fmt: skip
def test_a_script_a_daemon_or_a_stranger_is_no_terminal(command: str) -> None:
    assert confidence(sent_by(command)) is None


def test_a_hang_up_of_a_process_is_a_termination_when_it_is_no_terminals() -> None:
    view = evidence("SIGHUP", received=(sent_by("bash stop.sh"),))

    (finding,) = ask("terminated-by-process", view)

    assert Confidence.PROVEN is finding.confidence


def test_a_hang_up_that_nobody_saw_is_a_guess_by_where_it_ran() -> None:
    assert "LIKELY" == confidence(None)
    assert "POSSIBLE" == confidence(None, on_terminal=False)


def test_a_program_that_hangs_up_on_itself_lost_no_terminal() -> None:
    itself = Received("SIGHUP", sender_pid=PID, sender="bash", itself=True)

    assert confidence(itself) is None


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL", 1, 0])
def test_only_a_death_by_sighup_is_asked_about(how: str | int) -> None:
    assert [] == ask("terminal-hung-up", evidence(how, received=(BY_KERNEL,)))
