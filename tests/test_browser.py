"""JupyterLab, Notebook 7 and nbclassic in a real browser: what the page shows when a kernel dies, and after its restart."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from limited import memory_group, parent_group

from lab import SECONDS, TOKEN, Server, browser, require_browser, server
from notebooks import sent_from_outside

CHROMIUM = require_browser()

from playwright.sync_api import TimeoutError  # noqa: E402  # a skip comes first

pytestmark = [
    pytest.mark.death,
    pytest.mark.notebook,
    pytest.mark.browser,
    pytest.mark.timeout(400),
]

READ = "import ctypes\n\ndef read(address):\n    return ctypes.string_at(address)"


GROWING = "import time\nwhile True:\n    kept.append(bytearray(1_000_000))\n    time.sleep(0.003)"


class Lab:
    """JupyterLab or Notebook 7 with one notebook open; a person at the keyboard."""

    cell = ".jp-Notebook .jp-CodeCell"
    editor = f"{cell} .cm-content"
    output = ".jp-OutputArea-output"
    prompt = f"{cell} .jp-InputPrompt"
    dialog = ".jp-Dialog"
    accept = ".jp-Dialog .jp-mod-accept"
    path = "/lab/workspaces/{workspace}/tree/"

    def __init__(self, page: Any, served: Server) -> None:
        self.page = page
        self.served = served

    def open(self, name: str, *cells: str) -> None:
        self.served.write(name, *cells)
        # a workspace of its own: what another test had open is not opened again
        path = self.path.format(workspace=name.removesuffix(".ipynb"))
        self.page.goto(f"{self.served.url}{path}{name}?token={TOKEN}")
        self.page.locator(self.cell).first.wait_for()
        self._wait_for_kernel(name)

    def _wait_for_kernel(self, name: str) -> None:
        """The server has a kernel for it, and the page is connected to it."""
        self.page.wait_for_function(
            """async ([url, name]) => {
                const found = await (await fetch(url)).json();
                return found.some(s => s.path === name && s.kernel.connections > 0 && s.kernel.execution_state === 'idle');
            }""",
            arg=[f"{self.served.url}/api/sessions?token={TOKEN}", name],
            polling=200,
        )

    def run(self, number: int, answered: bool = True) -> None:
        """Run the cell with this number (from 0), as a person does: click into it, Shift and Enter, until something happens."""
        for _ in range(10):
            question = self.page.locator(f"{self.accept}:visible")
            if question.count():  # asked too early, the page wants a kernel chosen
                with contextlib.suppress(TimeoutError):  # it was going away already
                    question.first.click(timeout=2000)
            self.page.locator(self.editor).nth(number).click()
            self.page.keyboard.press("Shift+Enter")
            with contextlib.suppress(TimeoutError):  # the page was not ready for it yet
                self._prompt_becomes(number, r"\[(\*|\d+)\]", 5)
                break
        if answered:
            self._prompt_becomes(number, r"\[\d+\]", SECONDS)

    def _prompt_becomes(self, number: int, pattern: str, seconds: float) -> None:
        self.page.wait_for_function(
            "([selector, number, pattern]) =>"
            " new RegExp(pattern).test(document.querySelectorAll(selector)[number].innerText)",
            arg=[self.prompt, number, pattern],
            timeout=seconds * 1000,
        )

    def shows(self, text: str) -> str:
        """Wait until an output has this text; the whole of it."""
        found = self.page.locator(self.output, has_text=text).first
        found.wait_for()
        return str(found.inner_text())

    def accept_the_restart(self) -> None:
        dialog = self.page.locator(self.dialog, has_text="appears to have died").first
        dialog.wait_for()
        self.page.locator(f"{self.accept}:visible").first.click()

    def toast(self) -> str:
        found = self.page.locator(".Toastify__toast", has_text="The kernel died").first
        found.wait_for()
        return str(found.inner_text())


class Notebook7(Lab):
    path = "/notebooks/"


class Classic(Lab):
    cell = ".code_cell"
    editor = ".code_cell .CodeMirror"
    output = ".output_area"
    prompt = ".code_cell .input_prompt"
    dialog = ".modal-dialog"
    accept = ".modal-dialog .btn-primary"
    path = "/nbclassic/notebooks/"


FRONT_ENDS = {"jupyterlab": Lab, "notebook": Notebook7, "nbclassic": Classic}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server("jupyterlab", tmp_path_factory.mktemp("lab")) as opened:
        yield opened


@pytest.fixture
def lab(served: Server, tmp_path: Path) -> Iterator[Lab]:
    with browser(CHROMIUM, tmp_path / "chromium") as page:
        yield Lab(page, served)


@pytest.mark.parametrize("module", FRONT_ENDS)
def test_the_cell_shows_why_and_the_notebook_goes_on_after_the_restart(
    tmp_path: Path, module: str
) -> None:
    with (
        server(module, tmp_path / "server") as opened,
        browser(CHROMIUM, tmp_path / "browser") as page,
    ):
        front_end = FRONT_ENDS[module](page, opened)
        front_end.open("book.ipynb", READ, "x = 0\nread(x)", "print('on', 'we', 'go')")
        front_end.run(0)
        front_end.run(1, answered=False)

        told = front_end.shows("KernelDied")

        assert "user-native-crashed" in told
        assert "In [1]:4 in read" in told
        assert "return ctypes.string_at(address)" in told
        if module != "nbclassic":  # its pages load no extensions of JupyterLab
            assert "In [1], line 4" in front_end.toast()
        front_end.accept_the_restart()
        assert "user-native-crashed" in front_end.shows("KernelDied"), "it is still there"
        front_end.run(2)
        assert "on we go" in front_end.shows("on we go")


def test_a_cell_that_fills_the_memory_of_the_container_shows_it(tmp_path: Path) -> None:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory control group can be made")
        pytest.skip("no memory control group can be made here")
    with (
        memory_group(900) as group,
        server("jupyterlab", tmp_path / "server", group) as opened,
        browser(CHROMIUM, tmp_path / "browser") as page,
    ):
        front_end = Lab(page, opened)
        front_end.open("book.ipynb", "kept = []", GROWING)
        front_end.run(0)
        front_end.run(1, answered=False)

        told = front_end.shows("KernelDied")

        assert "kept-in-container" in told
        assert "In [2]:3" in told
        assert "Memory" in told
        assert "In [2], line 3" in front_end.toast()


def test_a_kernel_that_ends_itself_shows_the_line(lab: Lab) -> None:
    lab.open("exit.ipynb", "import os\nif True:\n    os._exit(4)")
    lab.run(0, answered=False)

    told = lab.shows("KernelDied")

    assert "os._exit(4)" in told
    assert "In [1]:3" in told


def test_a_signal_from_outside_shows_its_sender(lab: Lab) -> None:
    code = "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(120)"
    lab.open("sent.ipynb", code)
    lab.run(0, answered=False)
    pid = int(lab.shows("pid ").split()[-1])

    with sent_from_outside("SIGTERM", pid) as sender:
        told = lab.shows("KernelDied")

    assert "terminated-by-process" in told
    assert f"{sender} (bash" in told


def test_a_death_while_no_cell_runs_is_shown_by_a_toast_and_before_the_next_cell(lab: Lab) -> None:
    later = "import os, threading\nthreading.Timer(1.5, os._exit, [5]).start()"
    lab.open("idle.ipynb", later, "print('on', 'we', 'go')")
    lab.run(0)

    assert "while no cell was running" in lab.toast()
    lab.accept_the_restart()
    lab.run(1)
    assert "exited-without-cleanup" in lab.shows("died while no cell was running")
    assert "on we go" in lab.shows("on we go")
