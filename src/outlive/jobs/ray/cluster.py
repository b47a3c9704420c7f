"""The connection to a cluster of Ray: opened, watched, and let go of. Ray is loaded here and nowhere else."""

from __future__ import annotations

import importlib
import os
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from outlive.errors import OutliveError, UsageError

#: The head is asked for its nodes this often; when it has been silent for so long, that is said.
SECONDS_BETWEEN = 2.0
SILENT_SECONDS = 10.0

SECONDS_TO_ANSWER = 10.0
SECONDS_TO_END = 20.0

#: Ray ends a driver whose head is silent for a minute, without a word. We say more, if we are given more time.
PATIENCE = ("RAY_gcs_rpc_server_reconnect_timeout_s", "600")


def address_of(on: str) -> str | None:
    """What stands behind ``ray``, and nothing where there is nothing; an error for any other word."""
    kind, _, address = on.partition(":")
    if kind != "ray" or address.startswith("//"):
        raise UsageError(
            f"--on {on} is not known.", "local, ray (the cluster of this machine) or ray:HOST:PORT."
        )
    return address or None


def load_ray() -> Any:
    """The package, which is an extra."""
    os.environ.setdefault(*PATIENCE)
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise OutliveError(
            "--on ray needs Ray, which is not installed.", "pip install 'outlive[scale]'"
        ) from error


def _must_answer(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, ValueError) as error:
        raise OutliveError(
            f"There is no Ray cluster at {address}: {error}.",
            "Give the address that `ray start --head` has printed:  --on ray:HOST:PORT",
        ) from error


class Cluster:
    """A cluster that we are connected to."""

    def __init__(self, address: str | None) -> None:
        self.ray = load_ray()
        self._ours = not self.ray.is_initialized()
        if self._ours and address:
            _must_answer(address)
        if self._ours:
            try:
                self.ray.init(
                    address=address or "auto",
                    log_to_driver=False,
                    logging_level="ERROR",
                    configure_logging=False,
                )
            except (ConnectionError, ValueError, RuntimeError) as error:
                where = f"at {address}" if address else "on this machine"
                raise OutliveError(
                    f"There is no Ray cluster {where}: {str(error).splitlines()[0][:200]}",
                    "Start one:  ray start --head   Or give its address:  --on ray:HOST:PORT",
                ) from error
        self.alive: dict[str, Mapping[str, Any]] = {}
        self.seen: set[str] = set()
        self._heard = time.monotonic()
        self._ended = threading.Event()
        self._look()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def lost(self) -> int:
        """Machines that were there and are not."""
        return len(self.seen - set(self.alive))

    @property
    def silent_seconds(self) -> float:
        """How long the head has not answered."""
        return time.monotonic() - self._heard

    def room_for(self, cpus: float) -> int:
        """How many actors with so many cores there is room for."""
        return sum(
            int(node["Resources"].get("CPU", 0) // cpus) for node in list(self.alive.values())
        )

    def _watch(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN):
            try:
                self._look()
            except (
                Exception
            ):  # a head that is gone raises one thing or another, or nothing for long
                continue

    def _look(self) -> None:
        nodes = self.ray.nodes()
        self.alive = {node["NodeID"]: node for node in nodes if node["Alive"]}
        self.seen.update(self.alive)
        self._heard = time.monotonic()

    def close(self) -> None:
        """Let go of it, if it was we who opened it."""
        self._ended.set()
        if not self._ours:
            return
        ending = threading.Thread(target=self.ray.shutdown, daemon=True)
        ending.start()
        ending.join(SECONDS_TO_END)  # it may wait for a head that is gone
