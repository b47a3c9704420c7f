"""Which cores are whose, when several actors share a machine: Ray counts cores and gives none.

A core is taken by the name of a socket that only one process can have. The kernel gives it back when the process ends, however it ends, and nothing lies on the disk.
"""

from __future__ import annotations

import os
import socket

NAME = "\0outlive-core-%d"


class Cores:
    """The cores that this process has taken."""

    def __init__(self) -> None:
        self._held: list[socket.socket] = []

    def take(self, count: int) -> list[int]:
        """Take so many and run only there, children included; take none where not as many are free."""
        allowed = sorted(os.sched_getaffinity(0))
        if count >= len(allowed):
            return allowed
        taken: list[int] = []
        for core in allowed:
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(NAME % core)
            except OSError:
                held.close()
                continue
            self._held.append(held)
            taken.append(core)
            if len(taken) == count:
                os.sched_setaffinity(0, taken)
                return taken
        self.give_back()
        return allowed

    def give_back(self) -> None:
        """Let others have them."""
        for held in self._held:
            held.close()
        self._held.clear()
