"""The connection file of a kernel: its ports and its key. And who else may still hold those ports."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
from collections.abc import Sequence
from typing import Any

CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
LISTENS = "0A"


def connection_file_in(command: Sequence[str]) -> str | None:
    """The argument of a kernel's command that names its connection file, wherever it stands."""
    for word in command:
        path = word.rpartition("=")[2]
        if path.endswith(".json") and os.path.isfile(path):
            return os.path.abspath(path)
    return None


def connection_mark(path: str | None) -> str:
    """A short name for a connection file, which stays the same when a kernel is restarted."""
    if path is None:
        return ""
    return hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:16]


def read_connection(path: str | None) -> dict[str, Any] | None:
    """Ports and key, once the kernel (or whoever starts it) has chosen them."""
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    known = isinstance(found, dict) and all(found.get(f"{name}_port") for name in CHANNELS)
    return found if known else None


def end_holders(connection: dict[str, Any], session: int) -> list[int]:
    """A forked child of the dead kernel keeps its ports open: end it, as the end of the kernel's session would.

    Only processes of the kernel's own session, and only those that really hold a port.
    """
    if connection.get("transport", "tcp") != "tcp":
        return []  # the name of a socket in the file system is simply taken over
    wanted = _listening({int(connection[f"{name}_port"]) for name in CHANNELS})
    ended = []
    for pid in _others_in(session) if wanted else ():
        if _sockets_of(pid) & wanted:
            try:
                os.kill(pid, signal.SIGKILL)
                ended.append(pid)
            except OSError:
                continue
    return ended


def _listening(ports: set[int]) -> set[str]:
    """The sockets (by inode) that listen on one of these ports."""
    found = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        found |= {
            row[9]
            for row in rows
            if len(row) > 9 and row[3] == LISTENS and int(row[1].rpartition(":")[2], 16) in ports
        }
    return found


def _others_in(session: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if os.getsid(int(name)) == session:
                    found.append(int(name))
            except OSError:
                continue
    return found


def _sockets_of(pid: int) -> set[str]:
    found = set()
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            link = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{name}"))
            if link:
                found.add(link[1])
    except OSError:
        pass
    return found
