"""The nouns of a cluster: hosts, and what was measured between each pair. Frozen and picklable."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """One host of the cluster, as it told of itself."""

    name: str  #: as the configuration calls it: ``worker0:2222``
    address: str | None = None  #: what the name resolves to
    unreachable: str = ""  #: why its agent could not be asked
    clock_offset_seconds: float | None = None  #: its clock minus ours
    clock_error_seconds: float = 0.0  #: half the round trip that it was measured with
    versions: tuple[tuple[str, str], ...] = ()  #: package -> version
    resolves: tuple[tuple[str, str | None], ...] = ()  #: the other names, as this host sees them


@dataclass(frozen=True, slots=True)
class Link:
    """What was measured from one host to another."""

    source: str
    target: str
    round_trip_seconds: float | None = None
    bytes_per_second: float | None = None
    port_answers: bool | None = None  #: whether the port that TensorFlow will use can be reached
    error: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The hosts that a distributed program would run on."""

    source: str  #: where the list of hosts comes from
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
