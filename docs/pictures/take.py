"""`make pictures`: a program and a notebook's kernel are really killed at a memory limit; the page and the notebook are photographed, light and dark.

Needs the extra `dev-notebooks` (Playwright), a Chromium of the system, and the right to make a cgroup.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "demo"), str(HERE)]

from limited import enter, memory_group  # noqa: E402  # it lies beside the demo
from playwright.sync_api import sync_playwright  # noqa: E402
from take_notebook import shoot, take_notebook, take_notebook_7, take_notebook_before  # noqa: E402  # it lies here

LIMIT_MB = 1200
WIDTH, HEIGHT = 900, 1490


def main() -> None:
    """Run, judge, photograph."""
    chromium = os.environ.get("OUTLIVE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory(prefix="outlive-pictures-") as folder:
        environment = os.environ | {"OUTLIVE_HOME": folder, "TF_CPP_MIN_LOG_LEVEL": "2"}
        shutil.copy(HERE / "train.py", folder)
        with memory_group(LIMIT_MB) as group:
            subprocess.run(
                [sys.executable, "-m", "outlive", "run", "train.py"],
                cwd=folder,
                env=environment,
                preexec_fn=lambda: enter(group),
                timeout=200,
                check=False,
            )
        page = Path(folder, "page.html")
        subprocess.run(
            [sys.executable, "-m", "outlive", "why", "--html", str(page)],
            cwd=folder,
            env=environment,
            timeout=60,
            check=False,
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for theme in ("light", "dark"):
                shot = browser.new_page(
                    viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme
                )
                shot.goto(page.as_uri())
                box = shot.locator(".u-over").bounding_box()
                assert box is not None
                shot.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
                shoot(shot, f"page-{theme}.png")
            browser.close()
    take_notebook_before(str(chromium))
    take_notebook(str(chromium))
    take_notebook_7(str(chromium))


if __name__ == "__main__":
    main()
