"""The one who asks: reach every agent, compare clocks and versions, measure every pair, and send the agents home."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from outlive.doctor.cluster.agent import AGENT_PORT, unresolved
from outlive.doctor.cluster.tasks import Task, Tasks
from outlive.doctor.cluster.wire import Channel, Mismatch, WireError, connect
from outlive.model.cluster import Cluster, Link, Node

WAIT_SECONDS = 30.0
RETRY_SECONDS = 0.5
CLOCK_LOOKS = 5

#: Measuring, with its patience for a slow link, takes longer than an ordinary answer.
MEASURE_SECONDS = 30.0


def survey(
    tasks: Tasks,
    token: bytes,
    port: int = AGENT_PORT,
    wait: float = WAIT_SECONDS,
    clock: Callable[[], float] = time.time,
) -> Cluster:
    """Ask all agents, each through one connection; those that do not answer are reported as such."""
    unknown = unresolved([task.host for task in tasks.tasks])
    channels: dict[Task, Channel] = {}
    try:
        with ThreadPoolExecutor(max(1, len(tasks.tasks))) as pool:
            reached = list(
                pool.map(lambda task: _reach(task, token, port, wait, unknown), tasks.tasks)
            )
            channels |= {
                task: channel
                for task, channel in zip(tasks.tasks, reached, strict=True)
                if isinstance(channel, Channel)
            }
            nodes = {
                task: _node(task, channel, tasks.tasks, clock)
                if isinstance(channel, Channel)
                else Node(task.name, unreachable=channel)
                for task, channel in zip(tasks.tasks, reached, strict=True)
            }
            links = [
                link
                for turn in rounds(list(channels))
                for link in _measure(turn, channels, nodes, pool)
            ]
        return Cluster(tasks.source, tuple(nodes.values()), tuple(links), tuple(unknown))
    finally:
        _send_home(channels.values())


def _reach(
    task: Task, token: bytes, port: int, wait: float, unknown: Sequence[str]
) -> Channel | str:
    """The agent of a task's host; it may be started a little later than we are."""
    if task.host in unknown:
        return "its name does not resolve"
    until = time.monotonic() + wait
    while True:
        try:
            return connect(task.host, port, token)
        except WireError as error:
            if isinstance(error, Mismatch) or time.monotonic() >= until:
                return f"its agent on port {port} does not answer: {error}"
        time.sleep(RETRY_SECONDS)


def _node(task: Task, channel: Channel, tasks: Sequence[Task], clock: Callable[[], float]) -> Node:
    node = Node(task.name)
    try:
        about = channel.ask(ask="about")
        versions = tuple(sorted((str(k), str(v)) for k, v in dict(about["versions"]).items()))
        offset, error = _compare_clocks(channel, clock)
        names = channel.ask(ask="resolve", names=[other.host for other in tasks])
        node = replace(
            node,
            versions=versions,
            clock_offset_seconds=offset,
            clock_error_seconds=error,
            unresolved=tuple(map(str, names["unresolved"])),
        )
    except (WireError, KeyError, TypeError, ValueError) as error:
        return replace(node, unreachable=f"its agent stopped answering: {error}")
    try:
        channel.ask(ask="listen", port=task.port)
    except WireError as error:
        node = replace(node, port_trouble=str(error))
    return node


def _compare_clocks(channel: Channel, clock: Callable[[], float]) -> tuple[float, float]:
    """Its clock minus ours, by the fastest of several exchanges, and how wrong that can be."""
    looks = []
    for _ in range(CLOCK_LOOKS):
        before = clock()
        theirs = float(channel.ask(ask="clock")["now"])
        after = clock()
        looks.append(((after - before) / 2, theirs - (before + after) / 2))
    error, offset = min(looks)
    return offset, error


def rounds(tasks: Sequence[Task]) -> Iterator[list[tuple[Task, Task]]]:
    """Every ordered pair once, so that in each round every task is in at most one pair: they do not disturb each other."""
    circle: list[Task | None] = [*tasks] if len(tasks) % 2 == 0 else [*tasks, None]
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = [
            (one, other)
            for one, other in zip(circle[:half], reversed(circle[half:]), strict=True)
            if one is not None and other is not None
        ]
        if pairs:
            yield pairs
            yield [(other, one) for one, other in pairs]
        circle = [circle[0], circle[-1], *circle[1:-1]]


def _measure(
    turn: Sequence[tuple[Task, Task]],
    channels: dict[Task, Channel],
    nodes: dict[Task, Node],
    pool: ThreadPoolExecutor,
) -> list[Link]:
    return list(pool.map(lambda pair: _link(pair[0], pair[1], channels, nodes), turn))


def _link(
    source: Task, target: Task, channels: dict[Task, Channel], nodes: dict[Task, Node]
) -> Link:
    if nodes[target].port_trouble:
        return Link(source.name, target.name, error=f"its port: {nodes[target].port_trouble}")
    channel = channels[source]
    channel.connection.settimeout(MEASURE_SECONDS)
    try:
        found = channel.ask(ask="measure", host=target.host, port=target.port)
        return Link(source.name, target.name, float(found["round_trip"]), float(found["rate"]))
    except (WireError, KeyError, TypeError, ValueError) as error:
        return Link(source.name, target.name, error=str(error))


def _send_home(channels: Iterable[Channel]) -> None:
    for channel in channels:
        try:
            channel.ask(ask="done")
        except WireError:
            pass  # it has gone already
        channel.close()
