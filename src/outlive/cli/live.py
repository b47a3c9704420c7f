"""`outlive top`: the recorded programs of this machine while they run, until a key is pressed."""

from __future__ import annotations

import json
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.live import Live

from outlive.coroner.gather.gather import gather
from outlive.coroner.gather.moments import moments
from outlive.coroner.mask_verdict import hidden
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import reading_once
from outlive.recorder.store.read_run import is_running, read_run, start_of
from outlive.report.live import Alive, to_data, view
from outlive.report.terminal import console_on

#: Keys that end the view; Ctrl-C does too.
QUIT_KEYS = ("q", "Q", "\x1b")


def watch(name: str | None, interval: float, once: bool, as_json: bool) -> None:
    """Show what is alive; on a terminal again and again."""
    if as_json:
        for alive in living(name):
            print(json.dumps(to_data(alive)), flush=True)
        return
    console = console_on(sys.stdout)
    if once or not sys.stdout.isatty():
        console.print(view(living(name), time.strftime("%H:%M:%S"), None, console.width))
        return
    with Live(console=console, screen=True, auto_refresh=False) as screen, _keys() as pressed:
        while True:
            clock = f"{time.strftime('%H:%M:%S')}  q quits"
            shown = view(living(name), clock, console.height, console.width)
            screen.update(shown, refresh=True)
            if pressed(interval) in QUIT_KEYS:
                return


def living(name: str | None) -> Sequence[Alive]:
    """The runs that go on now, the newest first; or one of them."""
    folders = (
        [run_folders.find_run(name)]
        if name is not None
        else [run_folders.folder_of(known) for known in reversed(run_folders.list_runs())]
    )
    with reading_once():
        return [alive for alive in map(_alive, folders) if alive is not None]


def _alive(folder: str) -> Alive | None:
    """Read a run; nothing where it has ended."""
    payloads, rings = read_run(folder)
    if not is_running(start_of(payloads)):
        return None
    evidence = hidden(gather(payloads, rings))
    return Alive(os.path.basename(folder), evidence, moments(payloads, rings))


@contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """Single keys, where there is a keyboard; the terminal is put back as it was."""
    if not sys.stdin.isatty():
        yield _nobody_presses
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)

        def pressed(seconds: float) -> str:
            ready, _, _ = select.select([handle], [], [], seconds)
            return os.read(handle, 1).decode("latin-1") if ready else ""

        yield pressed
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _nobody_presses(seconds: float) -> str:
    time.sleep(seconds)
    return ""
