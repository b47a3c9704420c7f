"""The nouns of a cluster: hosts, and what was measured between each pair. Frozen and picklable."""

from __future__ import annotations

from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """One task of the cluster and its host, as its agent told."""

    name: str  #: as the configuration calls it: ``worker0:2222``
    unreachable: str = ""  #: why its agent could not be asked
    clock_offset_seconds: float | None = None  #: its clock minus ours
    clock_error_seconds: float = 0.0  #: half of the round trip that it was measured with
    versions: tuple[tuple[str, str], ...] = ()  #: package -> version
    unresolved: tuple[str, ...] = ()  #: the names that this host cannot resolve
    port_trouble: str = ""  #: why nothing can listen on the task's port there


@dataclass(frozen=True, slots=True)
class Link:
    """What was measured from one task's host to another's, through the port that TensorFlow will use."""

    source: str
    target: str
    round_trip_seconds: float | None = None
    bytes_per_second: float | None = None
    error: str = ""  #: why nothing could be measured


@dataclass(frozen=True, slots=True)
class Cluster:
    """The hosts that a distributed program would run on."""

    source: str  #: where the list of hosts comes from
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    unresolved: tuple[str, ...] = ()  #: the names that this host cannot resolve
