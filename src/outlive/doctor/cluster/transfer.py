"""Measure a link through one connection: the round trip of small messages, the rate of many bytes. Bounded in time and bytes."""

from __future__ import annotations

import select
import socket
import statistics
import time

from outlive.doctor.cluster.wire import Channel

ECHOES = 12
TRANSFER_SECONDS = 0.8
MOST_TRANSFER_BYTES = 256 << 20
CHUNK = bytes(1 << 16)

#: Small, so that on a slow link little is left on its way when the time is over.
SEND_BUFFER_BYTES = 1 << 18
PATIENCE_SECONDS = 8.0


def round_trip(channel: Channel) -> float:
    """Seconds from asking to the answer; the middle of several, the first of which warms up."""
    times = []
    for _ in range(ECHOES):
        began = time.perf_counter()
        channel.ask(ask="echo")
        times.append(time.perf_counter() - began)
    return statistics.median(times[2:])


def send_bulk(channel: Channel) -> float:
    """Send for a while; bytes per second, as the receiver counted them."""
    connection = channel.connection
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    channel.send({"ask": "receive"})
    sent, until = 0, time.monotonic() + TRANSFER_SECONDS + PATIENCE_SECONDS
    while time.monotonic() < until and sent < MOST_TRANSFER_BYTES:
        readable, writable, _ = select.select([connection], [connection], [], PATIENCE_SECONDS)
        if readable or not writable:
            break
        sent += connection.send(CHUNK)
    answer = channel.receive()
    return float(answer["bytes"]) / max(1e-6, float(answer["seconds"]))


def receive_bulk(channel: Channel) -> None:
    """The other end: count for a while, tell the count, then read on what is still on its way, so that nothing is reset."""
    connection = channel.connection
    count, began = 0, 0.0
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and count < MOST_TRANSFER_BYTES:
        readable, _, _ = select.select([connection], [], [], 0.05)
        if not readable:
            continue
        part = connection.recv(1 << 20)
        if not part:
            return
        if not began:
            began = time.perf_counter()  # the first piece starts the clock and is not counted
            deadline = time.monotonic() + TRANSFER_SECONDS
            continue
        count += len(part)
    channel.send({"bytes": count, "seconds": time.perf_counter() - began if began else 0.0})
    connection.settimeout(PATIENCE_SECONDS)
    while connection.recv(1 << 20):
        pass
