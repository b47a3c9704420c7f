"""Who else fills the memory: the processes beside the program, under the limit that is nearest.

Read while memory is in danger, at one two-hundredth of the time at most: a group may hold thousands of processes.
"""

from __future__ import annotations

import os
import time

from outlive.inside.machine.host import GroupFolder, GroupReading, Host, whole
from outlive.inside.notes.masking import split_arguments
from outlive.recorder.sampler import process_stat

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

#: So many of the largest are kept of one reading.
KEPT = 8

#: A group with more processes than this is not read to the end.
MOST_PROCESSES = 2000
MOST_FOLDERS = 200

#: One reading may take this share of the time until the next one.
SHARE_OF_TIME = 0.005

#: From this share of the limit on it matters who else is there.
NEAR_ENOUGH = 0.4
#: … and of a machine without any other limit: to read every process of it takes longer.
NEAR_ENOUGH_ON_A_MACHINE = 0.8


class Neighbours:
    """Reads the processes beside the program, as often as it costs next to nothing."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = 0.0
        self._limited: GroupFolder | None = None
        self._near = False
        self._commands: dict[int, list[str]] = {}
        self._started: dict[int, int] = {}

    def look(
        self, groups: Sequence[GroupFolder], counters: Sequence[list[Any]], own: Collection[int]
    ) -> list[list[Any]] | None:
        """The largest processes that are not the program's own: number and bytes. None when it is not the time to look."""
        began = time.monotonic()
        if began < self._next:
            return None
        self._nearest(groups, counters)
        if not self._near:
            return None
        others = self.look_once_more(own)
        now = time.monotonic()
        self._next = now + (now - began) / SHARE_OF_TIME
        return others

    def look_once_more(self, own: Collection[int]) -> list[list[Any]] | None:
        """The same at any time: what is left when the program has ended and given back what it had."""
        if self._limited is not None:
            pids = self._in_tree(self._limited.path)
        elif self._near:
            pids = self._on_the_machine()
        else:
            return None
        others = self._weigh(pids - set(own))
        for pid, _ in others:
            self._commands.setdefault(pid, self._command(pid))
        return others

    def commands(self) -> dict[str, list[str]]:
        """The commands of those that were named, by number."""
        return {str(pid): words for pid, words in self._commands.items()}

    def _nearest(self, groups: Sequence[GroupFolder], counters: Sequence[list[Any]]) -> None:
        """Find the limit that is nearest, and whether it is near."""
        self._limited, share = None, 0.0
        for group, entry in zip(groups, counters, strict=False):
            reading = GroupReading(*entry[2:])
            if reading.limit_bytes and reading.used_bytes is not None:
                of_limit = reading.used_bytes / reading.limit_bytes
                if self._limited is None or of_limit > share:
                    self._limited, share = group, of_limit
        self._near = share >= NEAR_ENOUGH
        total, available = (None, None) if self._near else self._host.memory()
        if total and available is not None and 1 - available / total >= NEAR_ENOUGH_ON_A_MACHINE:
            self._limited, self._near = None, True

    def _in_tree(self, top: str) -> set[int]:
        """The processes of a cgroup and of those below it, as far as they are seen from here."""
        found: set[int] = set()
        waiting = [top]
        for _ in range(MOST_FOLDERS):
            if not waiting or len(found) > MOST_PROCESSES:
                break
            folder = waiting.pop()
            listing = self._host.read(f"{folder}/cgroup.procs") or ""
            found.update(pid for word in listing.split() if (pid := whole(word)))
            try:
                with os.scandir(self._host.root + folder) as entries:
                    waiting += [f"{folder}/{entry.name}" for entry in entries if entry.is_dir()]
            except OSError:
                continue
        return found

    def _on_the_machine(self) -> set[int]:
        try:
            names = os.listdir(f"{self._host.root}/proc")
        except OSError:
            return set()
        return {pid for name in names[:MOST_PROCESSES] if (pid := whole(name))}

    def _weigh(self, pids: set[int]) -> list[list[Any]]:
        """The largest of them; a number that was given to another process is a new neighbour."""
        found = []
        for pid in list(pids)[:MOST_PROCESSES]:
            stat = process_stat(self._host, pid) if pid != os.getpid() else None
            if stat is None or not stat.rss_bytes:
                continue
            if self._started.setdefault(pid, stat.started) != stat.started:
                self._started[pid] = stat.started
                self._commands.pop(pid, None)
            found.append([pid, stat.rss_bytes])
        return sorted(found, key=lambda one: -one[1])[:KEPT]

    def _command(self, pid: int) -> list[str]:
        text = self._host.read(f"/proc/{pid}/cmdline", 512) or ""
        shown, _ = split_arguments([word for word in text.split("\0") if word])
        return shown[:KEPT]
