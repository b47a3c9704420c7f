"""A real Jupyter server with Outlive switched on, and a real browser in front of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from limited import enter

from notebook_kernels import children_of, require_jupyter

SECONDS = 90
TOKEN = "a-token-for-this-test"

#: As root, without a screen, and without looking for anything on the network.
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def require_browser() -> str:
    """The browser's path; CI forbids to do without one (`make test` installs it where it can)."""
    require_jupyter("playwright", "jupyterlab")
    found = os.environ.get("OUTLIVE_CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        reason = "no Chromium is installed (Debian: apt-get install chromium)"
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail(f"skips are forbidden here: {reason}")
        pytest.skip(reason, allow_module_level=True)
    return found


@dataclass
class Server:
    """A server whose user has switched Outlive on."""

    url: str
    home: Path
    folder: Path

    def write(self, name: str, *cells: str, shown: str = "") -> None:
        """A notebook; with HTML that its first cell shows, as if somebody else had run it."""
        import nbformat

        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        if shown:
            data = {"text/html": shown, "text/plain": "as text"}
            book.cells[0].outputs = [nbformat.v4.new_output("display_data", data=data)]
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(book, self.folder / name)

    def get(self, path: str) -> Any:
        request = urllib.request.Request(
            f"{self.url}{path}", headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


@contextlib.contextmanager
def server(
    module: str, folder: Path, group: Path | None = None, watched: bool = True
) -> Iterator[Server]:
    """``jupyterlab``, ``notebook`` or ``nbclassic``; with folders of its own, and Outlive enabled in them."""
    work, home = folder / "work", folder / "home"
    work.mkdir(parents=True)
    environment = os.environ | {
        "OUTLIVE_HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    if watched:
        subprocess.run(
            [sys.executable, "-m", "outlive", "jupyter", "enable", "--user"],
            env=environment,
            check=True,
            capture_output=True,
            timeout=60,
        )
    port = free_port()
    with open(folder / "server.log", "wb") as log:
        process = subprocess.Popen(
            [
                sys.executable, "-m", module, "--no-browser", "--allow-root", f"--port={port}",
                f"--IdentityProvider.token={TOKEN}", "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.root_dir={work}", "--LabApp.news_url=None", "--LabApp.check_for_updates_class="
                "jupyterlab.NeverCheckForUpdate",
            ],
            env=environment,
            cwd=work,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=(lambda: enter(group)) if group is not None else None,
        )  # fmt: skip
    opened = Server(f"http://127.0.0.1:{port}", home, work)
    try:
        wait_for(opened, process, folder / "server.log")
        yield opened
    finally:
        family = family_of(process.pid)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(10)


def wait_for(opened: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError):
            opened.get("/api/status")
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {log.read_text()[-3000:]}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def family_of(pid: int) -> list[int]:
    return [pid, *(inner for child in children_of(pid) for inner in family_of(child))]


@contextlib.contextmanager
def browser(path: str, user_folder: Path) -> Iterator[Any]:
    """A page of a browser that has never been anywhere."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(user_folder),
            executable_path=path,
            headless=True,
            args=CHROMIUM_OPTIONS,
            viewport={"width": 1200, "height": 900},
        )
        context.set_default_timeout(SECONDS * 1000)
        try:
            yield context.new_page()
        finally:
            context.close()
