"""JupyterLab, Notebook 7 and nbclassic in a real browser: what the page shows when a kernel dies, and after its restart."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from limited import memory_group, parent_group

from contrast import too_faint
from notebook_kernels import sent_from_outside
from notebook_server import SECONDS, TOKEN, Server, browser, require_browser, server

CHROMIUM = require_browser()

from playwright.sync_api import TimeoutError  # noqa: E402  # a skip comes first

pytestmark = [
    pytest.mark.death,
    pytest.mark.notebook,
    pytest.mark.browser,
    pytest.mark.timeout(400),
]

READ = "import ctypes\n\ndef read(address):\n    return ctypes.string_at(address)"


#: Between the share from which the gauge warns and the limit; the kernel lives.
FULL = "kept = bytearray(b'x') * {bytes}"

GROWING = "import time\nwhile True:\n    kept.append(bytearray(1_000_000))\n    time.sleep(0.003)"


#: In the page.
GAUGE = "document.querySelector('.outlive-gauge')"


class Lab:
    """JupyterLab or Notebook 7 with one notebook open; a person at the keyboard."""

    cell = ".jp-Notebook .jp-CodeCell"
    editor = f"{cell} .cm-content"
    output = ".jp-OutputArea-output"
    prompt = f"{cell} .jp-InputPrompt"
    dialog = ".jp-Dialog"
    accept = ".jp-Dialog .jp-mod-accept"
    path = "/lab/workspaces/{workspace}/tree/"
    themes = True

    def __init__(self, page: Any, served: Server) -> None:
        self.page = page
        self.served = served

    def open(self, name: str, *cells: str, shown: str = "") -> None:
        self.served.write(name, *cells, shown=shown)
        # a workspace of its own: what another test had open is not opened again
        path = self.path.format(workspace=name.removesuffix(".ipynb"))
        self.page.goto(f"{self.served.url}{path}{name}?token={TOKEN}")
        self.page.locator(self.cell).first.wait_for()
        self.wait_for_kernel(name)

    def wait_for_kernel(self, name: str) -> None:
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

    def card(self) -> str:
        """Wait until a cell shows a verdict; the text of it that is not folded."""
        found = self.page.locator(".outlive-card").first
        found.wait_for()
        return str(found.inner_text())

    def gauge(self) -> int:
        """The megabytes of the kernel in front, when the status bar shows them."""
        found = self.page.locator(".outlive-gauge:visible", has_text="Kernel")
        found.wait_for()
        return int(re.findall(r"Kernel (\d+) MB · \d+% of [\d.]+ [MG]B", found.inner_text())[0])

    def be_seen(self, seen: bool) -> None:
        """As if the page were in front, or behind others."""
        state = "visible" if seen else "hidden"
        self.page.evaluate(
            "(state) => { Object.defineProperty(document, 'visibilityState', { get: () => state, configurable: true });"
            " document.dispatchEvent(new Event('visibilitychange')); }",
            state,
        )

    def choose_theme(self, name: str) -> None:
        for label in ("Settings", "Theme", name):
            place = "MenuBar" if label == "Settings" else "Menu"
            exact = re.compile(f"^{label}$")
            self.page.locator(f".lm-{place}-itemLabel", has_text=exact).first.click()
        light = str(name == "JupyterLab Light").lower()
        self.page.locator(f"body[data-jp-theme-light='{light}']").wait_for(state="attached")

    def accept_the_restart(self) -> None:
        dialog = self.page.locator(self.dialog, has_text="appears to have died").first
        dialog.wait_for()
        self.page.locator(f"{self.accept}:visible").first.click()

    def toast(self) -> str:
        found = self.page.locator(
            ".Toastify__toast", has_text=re.compile("^The kernel .*died")
        ).first
        found.wait_for()
        return str(found.inner_text())


class Notebook7(Lab):
    path = "/notebooks/"
    themes = False  # they are the same as JupyterLab's


class Classic(Lab):
    cell = ".code_cell"
    editor = ".code_cell .CodeMirror"
    output = ".output_area"
    prompt = ".code_cell .input_prompt"
    dialog = ".modal-dialog"
    accept = ".modal-dialog .btn-primary"
    path = "/nbclassic/notebooks/"
    themes = False


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

        told = front_end.card()

        assert "user-native-crashed" in told
        assert "In [1], line 4 in read" in told
        assert "return ctypes.string_at(address)" in told
        assert "First run [1] again, then this cell." in told
        assert "user-native-crashed at In [1], line 4" in front_end.shows("KernelDied")
        the_facts_are_folded(front_end)
        if module != "nbclassic":  # its pages load no extensions of JupyterLab
            assert "The kernel of book.ipynb died at In [1], line 4" in front_end.toast()
            assert "kernel of book.ipynb" in told
        front_end.accept_the_restart()
        assert "user-native-crashed" in front_end.card(), "it is still there"
        front_end.run(2)
        assert "on we go" in front_end.shows("on we go")
        if module != "nbclassic":
            the_button_leads_to_the_cell(front_end)
        everybody_can_read_it(front_end)
        if module == "jupyterlab":
            everybody_can_read_what_is_not_trusted(front_end)


def the_facts_are_folded(front_end: Lab) -> None:
    facts = front_end.page.locator(".outlive-card table")
    assert not facts.is_visible()
    front_end.page.locator(".outlive-card summary").click()
    assert "%why" in facts.inner_text()


def the_button_leads_to_the_cell(front_end: Lab) -> None:
    cells = front_end.page.locator(front_end.cell)
    assert "jp-mod-active" not in str(cells.nth(1).get_attribute("class"))
    front_end.page.get_by_role("button", name="Go to the cell").click()
    front_end.page.locator(f"{front_end.cell}.jp-mod-active", has_text="read(x)").wait_for()


def everybody_can_read_it(front_end: Lab) -> None:
    assert [] == too_faint(front_end.page, ".outlive-card")
    if front_end.themes:
        front_end.choose_theme("JupyterLab Dark")
        assert [] == too_faint(front_end.page, ".outlive-card, .outlive-gauge")
        front_end.choose_theme("JupyterLab Light")
        assert [] == too_faint(front_end.page, ".outlive-card, .outlive-gauge")


def everybody_can_read_what_is_not_trusted(front_end: Lab) -> None:
    """JupyterLab takes the style sheet out of the output of a notebook that somebody else has run."""
    html = front_end.page.locator(".outlive-card").evaluate("it => it.parentElement.innerHTML")
    front_end.open("theirs.ipynb", "read(x)", shown=html)
    assert "First run [1] again" in front_end.card()
    assert 0 == front_end.page.locator(f"{front_end.output} style").count()
    label = front_end.page.locator(".outlive-card .outlive-label").first
    assert "600" == label.evaluate("it => getComputedStyle(it).fontWeight"), "by the extension"
    assert [] == too_faint(front_end.page, ".outlive-card")
    assert 1 == front_end.page.locator(".outlive-card details[open]").count(), "they still fold"


def test_a_cell_that_fills_the_memory_of_the_container_shows_it(tmp_path: Path) -> None:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")
    with (
        memory_group(900) as group,
        server("jupyterlab", tmp_path / "server", group) as opened,
        browser(CHROMIUM, tmp_path / "browser") as page,
    ):
        front_end = Lab(page, opened)
        front_end.open("book.ipynb", "kept = []", GROWING)
        front_end.run(0)
        front_end.run(1, answered=False)

        told = front_end.card()

        assert "kept-in-container" in told
        assert "In [2], line 3" in told
        assert "Memory" in told
        assert "In [2], line 3" in front_end.toast()


def test_a_kernel_that_ends_itself_shows_the_line(lab: Lab) -> None:
    lab.open("exit.ipynb", "import os\nif True:\n    os._exit(4)")
    lab.run(0, answered=False)

    told = lab.card()

    assert "os._exit(4)" in told
    assert "In [1], line 3" in told


def test_a_signal_from_outside_shows_its_sender(lab: Lab) -> None:
    code = "import os, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(120)"
    lab.open("sent.ipynb", code)
    lab.run(0, answered=False)
    pid = int(lab.shows("pid ").split()[-1])

    with sent_from_outside("SIGTERM", pid) as sender:
        told = lab.card()

    assert "terminated-by-process" in told
    assert f"{sender} (bash" in told


def test_a_death_while_no_cell_runs_is_shown_by_a_toast_and_before_the_next_cell(lab: Lab) -> None:
    later = "import os, threading\nthreading.Timer(1.5, os._exit, [5]).start()"
    lab.open("idle.ipynb", later, "print('on', 'we', 'go')")
    lab.run(0)

    assert "while idle" in lab.toast()
    lab.accept_the_restart()
    lab.run(1)
    assert "exited-without-cleanup" in lab.shows("died while idle")
    assert "on we go" in lab.shows("on we go")


def test_the_gauge_shows_the_kernel_that_is_in_front_while_somebody_looks(lab: Lab) -> None:
    lab.served.write("second.ipynb", "kept = bytearray(b'x') * 300_000_000")
    lab.open("first.ipynb", "1")
    asked: list[str] = []
    lab.page.on("request", lambda it: asked.append(it.url) if "outlive/memory" in it.url else None)
    small = lab.gauge()
    assert small < 200

    lab.page.locator(".jp-DirListing-item", has_text="second.ipynb").dblclick()
    lab.wait_for_kernel("second.ipynb")
    lab.be_seen(False)
    asked.clear()
    lab.run(1)
    assert [] == asked, "nobody looks"
    lab.be_seen(True)
    lab.page.wait_for_function(f"() => parseInt({GAUGE}.textContent.slice(7)) > 300")
    lab.page.locator(".lm-TabBar-tab", has_text="first.ipynb").click()
    lab.page.wait_for_function(f"() => parseInt({GAUGE}.textContent.slice(7)) < 200")

    assert 2 == len({re.findall(r"memory/([\w-]+)\?", url)[0] for url in asked})
    assert [] == too_faint(lab.page, ".outlive-gauge")
    assert all("no_track_activity=1" in url for url in asked), "it keeps no idle server alive"


@pytest.mark.parametrize("module", ["jupyterlab", "notebook"])
def test_near_the_limit_the_gauge_is_red_and_can_be_read_in_light_and_dark(
    tmp_path: Path, module: str
) -> None:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")
    with (
        memory_group(900) as group,
        server(module, tmp_path / "server", group) as opened,
        browser(CHROMIUM, tmp_path / "browser") as page,
    ):
        front_end = FRONT_ENDS[module](page, opened)
        front_end.open("book.ipynb", FULL.format(bytes=580_000_000), "del kept")
        assert front_end.gauge() < 300, "in Notebook 7 beside the menu, else in the status bar"
        assert 0 == page.locator(".outlive-near").count()

        front_end.run(0)
        page.locator(".outlive-gauge.outlive-near:visible").wait_for()
        page.locator(".Toastify__toast", has_text="Memory is nearly full").wait_for()

        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            front_end.choose_theme(theme)
            assert [] == too_faint(page, ".outlive-gauge.outlive-near")
        front_end.run(1)
        page.wait_for_function(f"() => !{GAUGE}.classList.contains('outlive-near')")
