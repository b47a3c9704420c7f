"""The pictures of notebooks for the manual: a cell fills the memory of a cgroup in a real JupyterLab, and its kernel is killed.

Called by ``take.py``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "demo"), str(HERE.parent.parent / "tests" / "helpers")]

from limited import memory_group  # noqa: E402  # it lies beside the demo

from notebook_server import TOKEN, Server, browser, server  # noqa: E402  # it lies beside the tests

LIMIT_MB = 1300
SIZE = {"width": 1100, "height": 900}
#: A machine of many cores would fill a good part of the memory with threads.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "2"
CELLS = (
    "import numpy as np\nruns = []",
    "def experiment(seed):\n    x = np.random.default_rng(seed).normal(size=(1024, 256))\n    runs.append(x @ x.T)\n    return x.mean()",
    "for k in range(2000):\n    m = experiment(k)\nprint(m)",
    "",
)


def run_the_cells(page: Any, lab: Server) -> None:
    """Open the notebook as a person does, and run it."""
    page.set_viewport_size(SIZE)
    lab.write("experiments.ipynb", *CELLS)
    page.goto(f"{lab.url}/lab/tree/experiments.ipynb?token={TOKEN}")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.keyboard.press("Control+b")  # the list of files
    page.locator(".Toastify__toast", has_text="Jupyter news").get_by_role(
        "button", name="No", exact=True
    ).click()
    page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
    page.locator(".jp-Notebook .cm-content").first.click()
    for _ in CELLS[:-1]:
        page.keyboard.press("Shift+Enter")


def take_notebook_before(chromium: str) -> None:
    """Photograph what the same death looks like without Outlive."""
    with (
        tempfile.TemporaryDirectory(prefix="outlive-pictures-") as folder,
        memory_group(LIMIT_MB) as group,
        server("jupyterlab", Path(folder, "server"), group, watched=False) as lab,
        browser(chromium, Path(folder, "browser")) as page,
    ):
        run_the_cells(page, lab)
        page.locator(".jp-Dialog", has_text="appears to have died").wait_for(timeout=200_000)
        page.wait_for_timeout(500)
        shoot(page, "kernel-died-before.png")


def take_notebook(chromium: str) -> None:
    """Photograph the gauge near the limit, and the verdict, light and dark."""
    with (
        tempfile.TemporaryDirectory(prefix="outlive-pictures-") as folder,
        memory_group(LIMIT_MB) as group,
        server("jupyterlab", Path(folder, "server"), group) as lab,
        browser(chromium, Path(folder, "browser")) as page,
    ):
        run_the_cells(page, lab)
        page.locator(".outlive-near").wait_for(timeout=200_000)
        page.locator(".Toastify__toast", has_text="nearly full").wait_for()
        page.wait_for_timeout(1000)  # it slides in
        shoot(page, "memory-gauge.png")
        page.locator(".outlive-card").wait_for()
        page.locator(".jp-Dialog .jp-mod-accept").click()
        page.locator(".Toastify__toast", has_text="nearly full").wait_for(state="detached")
        page.wait_for_timeout(1500)
        shoot(page, "kernel-died-after.png")
        for label in ("Settings", "Theme", "JupyterLab Dark"):
            page.locator(".lm-MenuBar-itemLabel, .lm-Menu-itemLabel", has_text=label).first.click()
        page.wait_for_timeout(1500)
        shoot(page, "kernel-died-dark.png")


def take_notebook_7(chromium: str) -> None:
    """Photograph its gauge near the limit; the kernel lives."""
    with (
        tempfile.TemporaryDirectory(prefix="outlive-pictures-") as folder,
        memory_group(LIMIT_MB) as group,
        server("notebook", Path(folder, "server"), group) as notebook,
        browser(chromium, Path(folder, "browser")) as page,
    ):
        page.set_viewport_size({"width": SIZE["width"], "height": 320})
        notebook.write("experiments.ipynb", "import numpy as np\nruns = np.ones((1000, 128_000))")
        page.goto(f"{notebook.url}/notebooks/experiments.ipynb?token={TOKEN}")
        page.locator(".outlive-gauge:visible").wait_for()
        page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
        page.locator(".jp-Notebook .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        page.locator(".outlive-near").wait_for(timeout=200_000)
        page.locator(".Toastify__toast", has_text="nearly full").wait_for()
        page.wait_for_timeout(1500)  # it slides in
        shoot(page, "memory-gauge-notebook-7.png")


def shoot(page: Any, name: str) -> None:
    """A picture of few colours, which takes a third of the bytes."""
    from PIL import Image

    path = HERE / name
    page.screenshot(path=str(path))
    with Image.open(path) as taken:
        few = taken.convert("RGB").quantize(192, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    take_notebook(os.environ.get("OUTLIVE_CHROMIUM") or str(shutil.which("chromium")))
