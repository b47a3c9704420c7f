"""The agent on each host of a cluster: it answers callers who know the token, for a bounded time, and ends when it is told to."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from outlive.doctor.cluster.transfer import receive_bulk, round_trip, send_bulk
from outlive.doctor.cluster.wire import WireError, accept, connect

AGENT_PORT = 7117
AGENT_SECONDS = 600.0
MOST_CONNECTIONS = 64
MOST_NAMES = 1000
MOST_PORTS = 256
#: Whoever was hung up on, or has just ended, is gone by then.
SECONDS_FOR_ROOM = 1.0

#: So often the agent looks whether its time is over.
LOOK_SECONDS = 0.2


class Agent:
    """Listens on its own port, and on the ports that TensorFlow will use while it is asked to."""

    def __init__(
        self,
        token: bytes,
        versions: Mapping[str, str],
        port: int = AGENT_PORT,
        seconds: float = AGENT_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._token = token
        self._versions = dict(versions)
        self._clock = clock
        self._until = time.monotonic() + seconds
        self._done = threading.Event()
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._listeners = {port: listener(port)}
        self._lock = threading.Lock()
        self._unproved: list[socket.socket] = []  # the oldest first

    def serve(self) -> bool:
        """Answer until somebody says that it is done, or the time is over; whether it was said."""
        try:
            while not self._done.is_set() and time.monotonic() < self._until:
                with self._lock:
                    listeners = list(self._listeners.values())
                ready, _, _ = select.select(listeners, [], [], LOOK_SECONDS)
                for listening in ready:
                    self._take(listening)
            return self._done.is_set()
        finally:
            for listening in self._listeners.values():
                listening.close()

    def _take(self, listening: socket.socket) -> None:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        if not self._slots.acquire(blocking=False) and not self._make_room():
            connection.close()
            return
        with self._lock:
            self._unproved.append(connection)
        threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _make_room(self) -> bool:
        """Hang up on the one who has been calling longest without a proof: he must not keep out those who have one."""
        with self._lock:
            slowest = self._unproved.pop(0) if self._unproved else None
            if slowest is not None:
                with contextlib.suppress(OSError):
                    slowest.shutdown(socket.SHUT_RDWR)
        return self._slots.acquire(timeout=SECONDS_FOR_ROOM)

    def _no_longer_unproved(self, connection: socket.socket) -> None:
        with self._lock:
            self._unproved = [one for one in self._unproved if one is not connection]

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection:
                try:
                    channel = accept(connection, self._token)
                finally:
                    self._no_longer_unproved(connection)
                # Whoever asks may have to wait for the other hosts between two questions.
                connection.settimeout(max(1.0, self._until - time.monotonic()))
                while not self._done.is_set():
                    question = channel.receive()
                    if question.get("ask") == "receive":
                        receive_bulk(channel)
                        return
                    channel.send(self._answer(question))
        except (WireError, OSError):
            pass  # it hung up, or is nobody we know
        finally:
            self._slots.release()

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        known: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "echo": lambda _: {},
            "about": lambda _: {"versions": self._versions},
            "clock": lambda _: {"now": self._clock()},
            "resolve": resolve,
            "listen": self._listen,
            "measure": self._measure,
            "done": self._finish,
        }
        answer = known.get(str(question.get("ask")))
        if answer is None:
            return {"error": "the agent does not know this question (an older Outlive?)"}
        try:
            return answer(question)
        except (WireError, OSError) as error:
            return {"error": str(error)}
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError):
            return {"error": "the agent does not understand this question"}

    def _listen(self, question: dict[str, Any]) -> dict[str, Any]:
        port = port_in(question)
        with self._lock:
            if len(self._listeners) > MOST_PORTS:
                return {"error": f"the agent already listens on {MOST_PORTS} ports"}
            if port not in self._listeners:
                try:
                    self._listeners[port] = listener(port)
                except OSError as error:
                    return {"error": os.strerror(error.errno or 0)}
        return {}

    def _measure(self, question: dict[str, Any]) -> dict[str, Any]:
        channel = connect(str(question["host"]), port_in(question), self._token)
        try:
            trip = round_trip(channel)
            return {"round_trip": trip, "rate": send_bulk(channel)}
        finally:
            channel.close()

    def _finish(self, _: dict[str, Any]) -> dict[str, Any]:
        self._done.set()
        return {}


def port_in(question: dict[str, Any]) -> int:
    """The port that a question names; ``ValueError`` for what is none."""
    port = int(question["port"])
    if not 0 < port < 1 << 16:
        raise ValueError("no port")
    return port


def resolve(question: dict[str, Any]) -> dict[str, Any]:
    """Which of these names have no address here."""
    return {"unresolved": unresolved([str(name) for name in question["names"]][:MOST_NAMES])}


def unresolved(names: list[str]) -> list[str]:
    """The names that this host cannot resolve."""
    found = []
    for name in names:
        try:
            socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except OSError:
            found.append(name)
    return found


def listener(port: int) -> socket.socket:
    """A listening socket on every address, IPv6 too where there is one."""
    if socket.has_dualstack_ipv6():
        try:
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
        except OSError as error:
            if error.errno is not None and os.strerror(error.errno) == "Address already in use":
                raise
    return socket.create_server(("", port))
