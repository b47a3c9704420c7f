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

from outlive.record import runs
from outlive.record.history import moments
from outlive.record.probes import gather
from outlive.record.reading import is_running, read_run, start_of
from outlive.report.live import Alive, to_data, view
from outlive.showing import console_on

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
        console.print(view(living(name), time.strftime("%H:%M:%S")))
        return
    with Live(console=console, screen=True, auto_refresh=False) as screen, _keys() as pressed:
        while True:
            clock = f"{time.strftime('%H:%M:%S')}  q quits"
            screen.update(view(living(name), clock, console.height), refresh=True)
            if pressed(interval) in QUIT_KEYS:
                return


def living(name: str | None) -> Sequence[Alive]:
    """The runs that go on now, the newest first; or one of them."""
    folders = (
        [runs.find_run(name)]
        if name is not None
        else [runs.folder_of(known) for known in reversed(runs.list_runs())]
    )
    found = []
    for folder in folders:
        payloads, rings = read_run(folder)
        if is_running(start_of(payloads)):
            evidence = gather(payloads, rings)
            found.append(Alive(os.path.basename(folder), evidence, moments(payloads, rings)))
    return found


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
