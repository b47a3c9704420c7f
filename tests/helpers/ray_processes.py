"""The processes of a job on Ray, as its tests and bench/chaos_ray.py see them: the helpers that they talk to, and the actors and workers that they kill."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HELPERS = Path(__file__).parent


class Talking:
    """A process that says one JSON object a line, and is told words."""

    def __init__(self, environment: Mapping[str, str], script: str, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HELPERS / script), *words],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def heard(self) -> dict[str, Any]:
        """The next thing that it says; Ray prints between."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        raise AssertionError(f"it ended with {self.process.wait()}")

    def tell(self, words: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.heard()

    def end(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


def of_home(home: str) -> Iterator[tuple[int, str]]:
    """Every process that was started with this home for runs: its number, and its command."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if f"OUTLIVE_HOME={home}".encode() in (folder / "environ").read_bytes():
                yield int(folder.name), words
        except OSError:
            continue


def zygotes(home: str) -> dict[int, int]:
    """Every zygote and worker, with its parent."""
    found = {}
    for pid, words in of_home(home):
        if "outlive.jobs.zygote" in words:
            try:
                stat = Path(f"/proc/{pid}/stat").read_text()
            except OSError:
                continue
            found[pid] = int(stat.rpartition(")")[2].split()[1])
    return found


def left_behind(home: str) -> list[int]:
    """What a job must not leave: zygotes and workers."""
    return sorted(zygotes(home))
