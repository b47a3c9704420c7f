"""Real kernels die, and the running cell says why; kernels that are ended on purpose say nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from limited import enter, memory_group, parent_group

from notebook_kernels import (
    Notebook,
    RawClient,
    alive,
    children_of,
    notebook,
    require_jupyter,
    sent_from_outside,
    verdicts_in,
    wait_until,
)

require_jupyter()

pytestmark = [pytest.mark.death, pytest.mark.notebook, pytest.mark.timeout(300)]


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Notebook]:
    with notebook(tmp_path) as opened:
        yield opened


SEGFAULT = "import ctypes\nctypes.string_at(0)"
DEATHS = {
    "segfault": (SEGFAULT, "user-native-crashed", 2),
    "os._exit": ("import os\nx = 1\nos._exit(7)", "exited-without-cleanup", 3),
    "os._exit with success": ("import os\nos._exit(0)", "exited-without-cleanup", 2),
    "its own SIGKILL": ("import os\nos.kill(os.getpid(), 9)", "killed-by-process", 2),
    "timed": ("%%time\nimport ctypes\nx = 1\nctypes.string_at(0)", "user-native-crashed", 4),
}


@pytest.mark.parametrize("name", DEATHS)
def test_the_cell_that_died_says_why_and_where(kernel: Notebook, name: str) -> None:
    code, slug, line = DEATHS[name]
    kernel.run("before = 1")

    outcome = kernel.run(code)

    assert outcome.reply is not None, "the cell was never answered"
    assert ("error", "KernelDied") == (outcome.reply["status"], outcome.reply["ename"])
    assert slug in outcome.verdict
    assert f"In [2]:{line}" in outcome.verdict
    assert code.splitlines()[line - 1] in outcome.verdict
    (verdict,) = kernel.verdicts()
    where = verdict["cause"]["where"]
    assert (slug, "In [2]", line) == (verdict["cause"]["slug"], where["file"], where["line"])


def test_a_dead_cell_is_told_what_lint_would_have_seen(kernel: Notebook, tmp_path: Path) -> None:
    kernel.run("import os, sys\nif len(sys.argv) > 99:\n    import tensorflow as tf")

    outcome = kernel.run("%%time\nx = 1\nos._exit(7)")

    words = "`outlive lint` finds this: exit-without-cleanup, In [2], line 3."
    assert words in " ".join(outcome.verdict.split())
    (verdict,) = kernel.verdicts()
    (remedy,) = [it for it in verdict["cause"]["remedies"] if words in it["text"]]
    assert [] == remedy["commands"]  # which file the notebook is, its kernel does not know


def test_a_dead_module_of_a_notebook_is_told_what_lint_would_have_seen(
    kernel: Notebook, tmp_path: Path
) -> None:
    module = tmp_path / "helpers.py"
    module.write_text(
        "import os, sys\nif len(sys.argv) > 99:\n    import tensorflow as tf\n\ndef fail():\n    os._exit(7)\n"
    )

    kernel.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    kernel.run("import helpers\nhelpers.fail()")

    (verdict,) = kernel.verdicts()
    assert "exit-without-cleanup, line 6." in str(verdict["cause"]["remedies"])


def test_a_line_of_an_earlier_cell_is_told_as_that_cell(kernel: Notebook) -> None:
    kernel.run("import os\n\ndef check(value):\n    if not value:\n        os._exit(1)")
    kernel.run("x = 0")

    outcome = kernel.run("check(1)\ncheck(x)")

    assert "In [1]:5 in check" in outcome.verdict


#: It has no shape: it is known as a secret because a variable with a telling name holds it.
PASSWORD = "correct-horse-battery"


def test_a_secret_that_is_known_by_its_value_alone_is_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / PASSWORD
    folder.mkdir()
    (folder / "helpers.py").write_text("import ctypes\n\ndef fail():\n    ctypes.string_at(0)\n")
    with notebook(tmp_path / "home", variables={"DB_PASSWORD": PASSWORD}) as opened:
        opened.run(
            f"import os, sys\nsys.path.insert(0, {str(tmp_path)!r} + '/' + os.environ['DB_PASSWORD'])"
        )

        outcome = opened.run("import helpers\nhelpers.fail()")

        assert outcome.reply is not None and "helpers.py" in outcome.reply["evalue"]
        assert PASSWORD not in f"{outcome.verdict} {outcome.reply}"
        (verdict,) = opened.verdicts()
        assert PASSWORD not in str(verdict)


GROWING = """\
import time
kept = []
def keep(size):
    kept.append(bytearray(size))
    time.sleep(0.003)
"""


def test_a_cell_that_fills_the_memory_names_its_line(tmp_path: Path) -> None:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")
    with (
        memory_group(400) as group,
        notebook(tmp_path, preexec_fn=lambda: enter(group)) as opened,
    ):
        opened.run(GROWING)

        outcome = opened.run("while True:\n    keep(1_000_000)")

        assert outcome.reply is not None
        assert "memory limit" in outcome.verdict
        (verdict,) = opened.verdicts()
        assert "kernel-oom" == verdict["ending"]["by"]
        assert ("kept-in-container", "In [1]", 4) == (
            verdict["cause"]["slug"],
            verdict["cause"]["where"]["file"],
            verdict["cause"]["where"]["line"],
        )


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Notebook]:
    """A kernel of the generation before: ipykernel 6 with IPython 8, which `make` puts beside the environment's own."""
    folder = Path(sys.prefix, "ipykernel6")
    if not folder.is_dir():
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail(f"skips are forbidden here: there is no {folder} (make notebook)")
        pytest.skip(f"there is no {folder} (make notebook)")
    with notebook(tmp_path, variables={"PYTHONPATH": str(folder)}) as opened:
        yield opened


def test_ipykernel_6_is_answered_for_too(older: Notebook) -> None:
    assert (
        "6 8"
        in older.run(
            "import ipykernel, IPython\nprint(ipykernel.version_info[0], IPython.version_info[0])"
        ).text
    )

    outcome = older.run("x = 1\nimport ctypes\nctypes.string_at(0)")

    assert "In [2]:3" in outcome.verdict


def test_ipykernel_6_is_interrupted_and_shut_down_without_a_word(older: Notebook) -> None:
    request = older.start("import time\nprint('ready', flush=True)\ntime.sleep(60)")
    older.until_it_says("ready", request)

    older.manager.interrupt_kernel()
    outcome = older.end_of(request)
    older.manager.shutdown_kernel()

    assert ["KeyboardInterrupt"] == [error["ename"] for error in outcome.errors]
    assert [] == older.verdicts()


@pytest.mark.parametrize(
    ("name", "slug"), [("SIGTERM", "terminated-by-process"), ("SIGKILL", "killed-by-process")]
)
def test_a_signal_from_a_stranger_is_told(kernel: Notebook, name: str, slug: str) -> None:
    request = kernel.start("import time\nprint('ready', flush=True)\ntime.sleep(60)")
    kernel.until_it_says("ready", request)

    with sent_from_outside(name, kernel.kernel):
        outcome = kernel.end_of(request)

    assert slug in outcome.verdict


def test_it_works_with_sockets_in_the_file_system(tmp_path: Path) -> None:
    with notebook(tmp_path, transport="ipc", ip=str(tmp_path / "socket")) as opened:
        outcome = opened.run(SEGFAULT)

        assert "In [1]:2" in outcome.verdict


@pytest.mark.parametrize("listens", [True, False], ids=["listening", "waiting for its reply"])
def test_a_client_that_launches_the_kernel_itself_is_answered(
    tmp_path: Path, listens: bool
) -> None:
    client = RawClient(tmp_path / "home", tmp_path, listens)
    try:
        reply = client.run(SEGFAULT)

        assert reply is not None, "the request was never answered"
        assert ("error", "KernelDied") == (reply["content"]["status"], reply["content"]["ename"])
        assert "In [1], line 2" in reply["content"]["evalue"]
        assert listens == ("error" in [message["msg_type"] for message in client.told])
    finally:
        client.close()


def test_a_front_end_that_names_its_cells_gets_the_card_whoever_launched_the_kernel(
    tmp_path: Path,
) -> None:
    """VS Code starts kernels without a server, and sends the URI of the cell with each request, as microsoft/vscode-jupyter's cellExecution.ts has it."""
    client = RawClient(tmp_path / "home", tmp_path)
    try:
        reply = client.run(SEGFAULT, cellId="vscode-notebook-cell:/home/me/book.ipynb#W0sZmlsZQ")

        assert reply is not None, "the request was never answered"
        kinds = [message["msg_type"] for message in client.told]
        assert kinds.index("display_data") < kinds.index("error")
        shown = client.told[kinds.index("display_data")]["content"]["data"]
        assert "outlive-card" in shown["text/html"]
        assert "user-native-crashed" in shown["text/plain"]
        assert 1 == len(reply["content"]["traceback"]), "the card tells the rest"
    finally:
        client.close()


def test_a_forked_child_that_holds_the_ports_does_not_hold_back_the_answer(
    kernel: Notebook,
) -> None:
    fork = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)"
    kernel.run(fork)

    outcome = kernel.run(SEGFAULT)

    assert "user-native-crashed" in outcome.verdict


def test_two_kernels_that_die_at_once_are_told_apart(tmp_path: Path) -> None:
    name = {"JPY_SESSION_NAME": str(tmp_path / "first.ipynb")}
    with notebook(tmp_path, variables=name) as one, notebook(tmp_path) as two:
        nothing = two.run("%load_ext outlive\n%why")
        first = one.start("import os\nos._exit(3)")
        assert "exited-without-cleanup" in one.end_of(first).verdict
        second = two.start(SEGFAULT)

        assert "user-native-crashed" in two.end_of(second).verdict

        assert "No death of this notebook's kernel has been recorded." in nothing.text
        wait_until(lambda: not alive(one.wrapper), "the supervisor is gone")
        one.manager.restart_kernel(now=True)
        one.client.wait_for_ready(timeout=60)
        (shown,) = one.run("%load_ext outlive\n%why").shown
        assert "exited-without-cleanup" in shown["text/plain"], "not the newer death of another"
        assert "the kernel of first.ipynb exited with status 3" in shown["text/plain"]
        (helped,) = one.run("%outlive").shown
        assert "%why RUN" in helped["text/plain"] and "not watched" not in helped["text/plain"]
        assert "%outlive bake is not known" in one.run("%outlive bake").text
    listed = subprocess.run(
        [sys.executable, "-m", "outlive", "runs"],
        env=os.environ | {"OUTLIVE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 2 == listed.stdout.count("first.ipynb")


def test_a_death_while_no_cell_runs_is_told_before_the_next_one(kernel: Notebook) -> None:
    later = "import os, threading\nthreading.Timer(0.5, os._exit, [5]).start()"
    kernel.run(later)
    wait_until(lambda: not alive(kernel.wrapper), "the kernel ends by itself")

    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    outcome = kernel.run("print('on we go')")

    assert "died while idle" in outcome.text
    assert "exited-without-cleanup" in outcome.text
    assert outcome.text.endswith("on we go\n")
    assert "died" not in kernel.run("print('and on')").text


def test_the_magic_shows_the_last_verdict_as_a_page_and_as_text(kernel: Notebook) -> None:
    kernel.run(SEGFAULT)
    wait_until(lambda: not alive(kernel.wrapper), "the supervisor is gone")
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)

    (shown,) = kernel.run("%load_ext outlive\n%why").shown

    assert "user-native-crashed" in shown["text/plain"]
    assert "→    2 │ ctypes.string_at(0)" in shown["text/plain"]
    assert shown["text/html"].startswith("<iframe")
    assert "user-native-crashed" in shown["text/html"]


def test_the_command_line_tells_of_the_dead_kernel_not_of_the_living_one(kernel: Notebook) -> None:
    kernel.run(SEGFAULT)
    wait_until(lambda: not alive(kernel.wrapper), "the supervisor is gone")
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)

    done = subprocess.run(
        [sys.executable, "-m", "outlive", "why"],
        env=os.environ | {"OUTLIVE_HOME": str(kernel.home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 1 == done.returncode, done.stderr
    assert "→    2 │ ctypes.string_at(0)" in done.stdout


# What is not a crash.


def test_an_interrupt_is_one_interrupt_and_no_death(kernel: Notebook) -> None:
    request = kernel.start("import time\nprint('ready', flush=True)\ntime.sleep(60)")
    kernel.until_it_says("ready", request)

    kernel.manager.interrupt_kernel()
    outcome = kernel.end_of(request)

    assert ["KeyboardInterrupt"] == [error["ename"] for error in outcome.errors]
    assert "2" in kernel.run("print(1 + 1)").text
    assert [] == kernel.verdicts()


def test_an_exception_in_a_cell_is_no_death(kernel: Notebook) -> None:
    outcome = kernel.run("1 / 0")

    assert ["ZeroDivisionError"] == [error["ename"] for error in outcome.errors]
    kernel.manager.shutdown_kernel()
    assert [] == kernel.verdicts()


BUSY = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.1)"
#: The pause lets the kernel's other thread send what was printed.
DEAF = (
    "import ctypes, time\nprint('ready', flush=True)\ntime.sleep(1)\nctypes.PyDLL(None).sleep(60)"
)


@pytest.mark.parametrize("code", [BUSY, DEAF], ids=["in Python", "in native code with the lock"])
@pytest.mark.parametrize("now", [False, True], ids=["in order", "at once"])
def test_a_kernel_that_is_shut_down_while_busy_is_not_called_dead(
    kernel: Notebook, code: str, now: bool
) -> None:
    request = kernel.start(code)
    kernel.until_it_says("ready", request)

    kernel.manager.shutdown_kernel(now=now)

    wait_until(lambda: not alive(kernel.wrapper), "the supervisor is gone")
    assert [] == kernel.verdicts()


def test_a_kernel_that_is_restarted_is_not_called_dead(kernel: Notebook) -> None:
    first = kernel.kernel
    kernel.manager.restart_kernel()
    kernel.client.wait_for_ready(timeout=60)

    assert "2" in kernel.run("print(1 + 1)").text
    assert not alive(first)
    assert [] == kernel.verdicts()


def test_a_kernel_that_is_terminated_by_its_launcher_is_not_called_dead(kernel: Notebook) -> None:
    request = kernel.start(BUSY)
    kernel.until_it_says("ready", request)

    os.killpg(kernel.wrapper, signal.SIGTERM)  # as the provisioner of this process does it

    wait_until(lambda: not alive(kernel.wrapper), "the supervisor is gone")
    assert [] == kernel.verdicts()


def test_exit_is_not_called_a_death(kernel: Notebook) -> None:
    kernel.run("exit()")

    wait_until(lambda: not alive(kernel.wrapper), "the supervisor is gone")
    assert [] == kernel.verdicts()


LAUNCHER = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from notebook_kernels import Notebook
opened = Notebook(Path({home!r}))
print(opened.wrapper, opened.kernel, flush=True)
request = opened.start({code!r})
opened.until_it_says("ready", request)
print("ready", flush=True)
opened.end_of(request)
"""


@pytest.mark.parametrize("code", [BUSY, DEAF], ids=["in Python", "in native code with the lock"])
def test_no_process_is_left_when_the_launcher_is_killed(tmp_path: Path, code: str) -> None:
    program = LAUNCHER.format(
        tests=str(Path(__file__).parent.parent / "helpers"), home=str(tmp_path), code=code
    )
    launcher = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    wrapper, kernel = (int(word) for word in launcher.stdout.readline().split())
    launcher.stdout.readline()
    family = {wrapper, kernel, *children_of(wrapper)}

    launcher.kill()
    launcher.wait()
    launcher.stdout.close()

    wait_until(lambda: not any(map(alive, family)), "the whole tree is gone", 10)
    assert [] == verdicts_in(tmp_path)


def test_a_kernel_whose_supervisor_is_killed_ends_too(kernel: Notebook) -> None:
    pid = kernel.kernel

    os.kill(kernel.wrapper, signal.SIGKILL)

    wait_until(lambda: not alive(pid), "the kernel has noticed", 10)


def test_a_supervisor_that_cannot_record_leaves_a_working_kernel(tmp_path: Path) -> None:
    home = tmp_path / "no folder"
    home.write_text("")
    client = RawClient(home, tmp_path)
    try:
        reply = client.run("x = 6 * 7\nprint(x)")

        assert reply is not None
        assert "ok" == reply["content"]["status"]
    finally:
        client.close()
