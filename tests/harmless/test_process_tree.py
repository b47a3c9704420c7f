"""Who is whose parent: as the first process of a container, below launchers that watch their children, and when one of them dies."""

import os
import select
import shutil
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.death


@pytest.fixture
def as_first_process():
    """A prefix that makes a command the first process of a name space of processes, where that is allowed."""
    tool = shutil.which("unshare")
    if tool is None:
        pytest.skip("there is no unshare here")
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    prefix = [tool, *root, "--pid", "--fork", "--mount-proc", "--"]
    if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("name spaces are not allowed here")
    return prefix


@pytest.fixture(params=["bare", "watched"])
def command(request, runner):
    return (lambda *words: list(words)) if request.param == "bare" else runner.command


def test_the_first_process_reaps_what_others_leave_behind(runner, program, as_first_process):
    orphans = runner.start(
        [*as_first_process, *runner.command(sys.executable, program("leaves_orphans.py"), "30")]
    )
    ending = runner.finish(orphans)

    assert b"0 zombies\n" == ending.stdout
    assert 5 == ending.status


def test_the_first_process_keeps_the_status_of_its_own_children(runner, as_first_process):
    script = "for i in 1 2 3 4 5 6; do (true &); done; exit 9"

    statuses = [
        runner.bare(*as_first_process, *runner.command("sh", "-c", script)).status for _ in range(5)
    ]

    assert [9] * 5 == statuses


@pytest.mark.parametrize("by", ["itself", "a child"])
def test_a_signal_to_the_first_process_reaches_the_program(
    by, command, runner, program, as_first_process
):
    ending = runner.bare(
        *as_first_process, *command(sys.executable, program("signals_first_process.py"), by)
    )

    assert b"told once\n" == ending.stdout
    assert 4 == ending.status


def test_what_systemd_meant_for_the_process_that_it_started_is_the_programs(command, runner):
    """`LISTEN_PID` must be the number of the process that reads it, else the sockets are not its own."""
    script = (
        "import os\nfor name in ('LISTEN_PID', 'WATCHDOG_PID'):"
        "print(name, os.environ[name] == str(os.getpid()), os.environ.get('LISTEN_FDS'))"
    )
    shell = 'export LISTEN_PID=$$ WATCHDOG_PID=$$ LISTEN_FDS=1; exec "$@"'

    ending = runner.bare("sh", "-c", shell, "sh", *command(sys.executable, "-c", script))

    assert b"LISTEN_PID True 1\nWATCHDOG_PID True 1\n" == ending.stdout
    assert 0 == ending.status


def test_what_systemd_meant_for_another_stays_as_it_is(command, runner):
    variables = {"LISTEN_PID": "1", "WATCHDOG_PID": "2", "LISTEN_PIDFDID": "3"}
    script = f"import os; print([os.environ[name] for name in {list(variables)}])"

    ending = runner.bare(
        *command(sys.executable, "-c", script), env=runner.environment(**variables)
    )

    assert b"['1', '2', '3']\n" == ending.stdout


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
def test_a_program_that_shall_die_with_its_launcher_does(number, command, runner, program):
    launcher = [sys.executable, "-I", program("launches_bound.py"), str(int(number))]
    child = runner.start([*launcher, *command(sys.executable, program("talks.py"))])
    alive = os.pidfd_open(int(child.stdout.readline()))

    child.kill()
    dead, _, _ = select.select([alive], [], [], 30)
    os.close(alive)

    assert dead, "the program lives on without its launcher"


def test_a_program_that_is_not_bound_lives_on_without_its_launcher(command, runner, program):
    launcher = [sys.executable, "-I", program("launches_bound.py"), "0"]
    child = runner.start([*launcher, *command(sys.executable, program("talks.py"))])
    child.stdout.readline()

    child.kill()
    child.wait(60)
    said, _ = child.communicate(b"live\n", timeout=60)

    assert b"heard live\n" == said


def test_what_a_program_sends_to_a_launcher_that_died_reaches_nobody(command, runner, program):
    """Somebody else has adopted the supervisor by then: it was not meant for that one."""
    script = "import os, sys; parent = os.getppid(); print('ready', flush=True); sys.stdin.read()\n"
    script += "try: os.kill(parent, 10)\nexcept ProcessLookupError: pass"

    ending = runner.bare(
        sys.executable, program("adopts.py"), *command(sys.executable, "-c", script)
    )

    assert b"not told\n" == ending.stdout
    assert 0 == ending.status, ending.stderr.decode()


@pytest.mark.parametrize("how", ["terminate", "killpg"])
def test_a_launcher_ends_the_program_as_the_manual_says(how, command, runner, program):
    child = runner.start(command(sys.executable, program("talks.py")))
    alive = os.pidfd_open(int(child.stdout.readline()))

    child.terminate() if how == "terminate" else os.killpg(child.pid, signal.SIGKILL)
    dead, _, _ = select.select([alive], [], [], 30)
    os.close(alive)

    assert dead
    assert -(signal.SIGTERM if how == "terminate" else signal.SIGKILL) == child.wait(60)
