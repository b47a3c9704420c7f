"""Play one act of a victim under a tool (or bare), in the victim's circumstances, and see how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / name) for name in ("tests/helpers", "demo")]

from tool import Ended, Tool  # noqa: E402

from victim_runner import SECONDS, WHOLE, Played, Victim, staged  # noqa: E402

#: A program has stood still when it used less processor time than this for as long as below.
STILL_SECONDS = 6.0
STILL_CPU = 0.1

LETHAL = ("die", WHOLE)
TICKS = os.sysconf("SC_CLK_TCK")


class NotPlayed(Exception):
    """It could not be seen to the end that its header announces, so that there is no right answer."""


def hang_after(victim: Victim) -> float | None:
    value = victim.header.get("hang_after") or victim.header.get("hang")
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        return float(value)
    return 3.0


def perform(
    victim: Victim, act: str, tool: Tool, folder: Path, wrap: Sequence[str] | None = None
) -> Ended:
    """``wrap`` replaces what the tool would put before the command."""
    hangs = hang_after(victim)
    own = folder / "tool"
    own.mkdir()
    words = tool.wrap(hangs) if wrap is None else wrap
    variables = tool.environment(own)
    with staged(victim, act, folder, words, tool.python, variables) as played:
        try:
            if act in LETHAL and "neighbour" in victim.header:
                played.let_neighbour_grow()
            if act in LETHAL and "send" in victim.header:
                played.send_when_ready(lambda: tool.is_ready(own))
            hung = act in LETHAL and hangs is not None and _end_a_hang(played, tool, own)
            played.process.communicate(timeout=SECONDS)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            raise NotPlayed(f"{error}; {played.stderr[-300:]}") from error
        status = played.process.returncode
        kills = _kills(played.memory) if played.memory else None
        return Ended(status, played.stderr, victim.path.name, own, hung, kills)


def check_ending(victim: Victim, act: str, ended: Ended) -> None:
    """A death of another kind than the announced one has another right answer, that nobody wrote down."""
    announced = "0" if act == "spare" else victim.header.get("ending")
    status = ended.status
    actual = "hang" if ended.hung else signal.Signals(-status).name if status < 0 else str(status)
    if announced not in (None, actual):
        raise NotPlayed(f"it ended with {actual} instead of {announced}; {ended.stderr[-300:]}")


def _end_a_hang(played: Played, tool: Tool, own: Path) -> bool:
    """End the program (not the tool around it) when the tool has told of the hang, or when nothing moves any more."""
    until = time.monotonic() + SECONDS
    used, since = -1.0, time.monotonic()
    while played.process.poll() is None:
        told = tool.has_told_of_a_hang(own)
        now = time.monotonic()
        if told is None:
            spent = _processor_time(played.process.pid)
            if spent - used > STILL_CPU:
                used, since = spent, now
            told = now - since > STILL_SECONDS
        if told or now > until:
            os.kill(_own_process(played), tool.ends_a_hang_with)
            return True
        time.sleep(0.1)
    return False


def _own_process(played: Played) -> int:
    """The process that runs the victim's own command; of a family of forks, the eldest."""
    found = {}
    for pid in _session(played.process.pid):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
            if [os.fsdecode(word) for word in words] == played.command:
                found[pid] = int(_stat(pid)[1])
    eldest = [pid for pid, parent in found.items() if parent not in found]
    return eldest[0] if eldest else played.process.pid


def _processor_time(session: int) -> float:
    spent = 0
    for pid in _session(session):
        with contextlib.suppress(OSError):
            spent += sum(int(word) for word in _stat(pid)[11:13])
    return spent / TICKS


def _session(leader: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(entry.name)) == leader:
                found.append(int(entry.name))
    return found


def _stat(pid: int) -> list[str]:
    """From the state on: [1] is the parent, [11] and [12] the time in the program and in the kernel."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _kills(group: Path) -> int:
    """How often the kernel has killed in this cgroup and those below (version 1 or 2)."""
    most = 0
    for name in ("memory.oom_control", "memory.events"):
        for path in group.rglob(name):
            fields = dict(line.split() for line in path.read_text().splitlines())
            most = max(most, int(fields.get("oom_kill", 0)))
    return most
