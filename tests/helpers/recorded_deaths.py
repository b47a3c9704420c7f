"""Run one victim under `outlive run`, in its circumstances (see `stage`), and bring back the verdict."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from outlive.coroner.judge import judge
from outlive.coroner.stored_verdict import stored_verdict
from outlive.inside.notes.format import read_frames
from outlive.model.verdict_json import to_data
from outlive.recorder.store.read_run import read_run
from victim_runner import SECONDS, Played, Victim, missing, staged, victims

__all__ = ["Death", "Victim", "nobody_saw", "play", "play_together", "require", "victims"]


@dataclass(frozen=True)
class Death:
    status: int
    verdict: dict
    stderr: str
    folder: Path
    hang: dict | None = None  #: the verdict while it was hanging


def require(victim: Victim) -> None:
    """Skip with a reason what this machine cannot do; CI forbids such skips (OUTLIVE_NO_SKIP)."""
    for reason in missing(victim):
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail(f"skips are forbidden here: {reason}")
        pytest.skip(reason)


#: The ending of a run whose supervisor, which shares the victim's cgroup, was killed with it: seen twice in some four hundred deaths.
UNSEEN = "Outlive was killed before the program"


def nobody_saw(verdict: dict) -> bool:
    """Whether the kernel has killed the one who was to tell."""
    return UNSEEN in str(verdict["ending"].get("detail"))


def play(victim: Victim, act: str, tmp_path: Path) -> Death:
    """Run ``act`` of a victim under `outlive run`; once more where nobody saw its end."""
    death = _play(victim, act, tmp_path)
    if "memory" in victim.header and nobody_saw(death.verdict):
        (tmp_path / "again").mkdir()
        death = _play(victim, act, tmp_path / "again")
    return death


def play_together(some: Sequence[Victim], folder: Path) -> dict[str, Death | BaseException]:
    """Let victims that hang do so at the same time, which takes them seconds and hardly any CPU; by name, what came of each."""
    ended: dict[str, Death | BaseException] = {}
    with contextlib.ExitStack() as stack:
        ends = {}
        for victim in some:
            (folder / victim.name).mkdir()
            ends[victim.name] = stack.enter_context(_started(victim, "die", folder / victim.name))
        for name, end in ends.items():
            try:
                ended[name] = end()
            except (AssertionError, pytest.fail.Exception) as failed:  # that one's, not the others'
                ended[name] = failed
    return ended


def _play(victim: Victim, act: str, tmp_path: Path) -> Death:
    with _started(victim, act, tmp_path) as end:
        return end()


@contextlib.contextmanager
def _started(victim: Victim, act: str, tmp_path: Path) -> Iterator[Callable[[], Death]]:
    """Start ``act`` of a victim; what is yielded waits for its end."""
    home = tmp_path / "home"
    watched_for = victim.header.get("hang_after")
    wrap = [sys.executable, "-m", "outlive", "run"]
    wrap += [*(["--hang-after", watched_for] if watched_for else []), "--"]
    with staged(victim, act, tmp_path, wrap, variables={"OUTLIVE_HOME": str(home)}) as played:
        yield lambda: _end_of(played, act, home)


def _end_of(played: Played, act: str, home: Path) -> Death:
    victim = played.victim
    if act == "die" and "send" in victim.header:
        # a program that has run for a moment, as those that get killed have
        played.send_when_ready(lambda: list(home.rglob("*.native")))
    if act == "die" and "neighbour" in victim.header:
        played.let_neighbour_grow(_rested(home))
    hang = None
    if act == "die" and "hang_after" in victim.header:
        hang = _end_when_told(played, home)
    try:
        played.process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        pytest.fail(f"{victim.name} {act} did not end; stderr: {played.stderr[-2000:]}")
    folder = next(iter((home / "runs").iterdir()))
    assert [] == list(folder.rglob("*.failed")), "the recorder failed inside the program"
    verdict = why(folder)
    return Death(played.process.returncode, verdict, played.stderr, folder, hang)


def why(folder: Path) -> dict:
    """As `outlive why --json` answers, without its start: half a second of CPU for each of four hundred runs."""
    verdict = stored_verdict(str(folder)) or judge(folder.name, *read_run(str(folder)))[0]
    return to_data(verdict)


def _rested(home: Path) -> Callable[[], bool]:
    """Whether the program was sampled for another second since this was first asked: it has rested, as those do that neighbours kill."""
    began: list[float] = []

    def sampled() -> bool:
        frames = read_frames(str(next(home.glob("runs/*/supervisor.log"))))
        last = max(float(it.payload["at"]) for it in frames if it.payload["kind"] == "sample")
        began.append(last)
        return last >= began[0] + 1

    return sampled


def _end_when_told(played: Played, home: Path) -> dict:
    """Wait until it is told what the program waits for, then kill the program (not Outlive) by its pid."""
    until = time.monotonic() + SECONDS
    while True:
        assert played.process.poll() is None, f"it ended: {played.stderr[-2000:]}"
        assert time.monotonic() < until, f"no hang was told: {played.stderr[-2000:]}"
        for folder in home.glob("runs/*"):
            with contextlib.suppress(OSError, ValueError):
                told = json.loads((folder / "verdict.json").read_text())
                frames = read_frames(str(folder / "supervisor.log"))
                (pid,) = [f.payload["pid"] for f in frames if f.payload["kind"] == "run"]
                ended_by = played.victim.header.get("ended_by", "SIGKILL").split()[0]
                os.kill(pid, signal.Signals[ended_by])
                return told
        time.sleep(0.1)
