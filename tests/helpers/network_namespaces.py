"""Several hosts on one machine: network namespaces with a router between them, always removed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

SECONDS = 30


def require_network() -> None:
    """Skip with a reason where namespaces cannot be made; CI forbids such skips (OUTLIVE_NO_SKIP)."""
    reason = ""
    if os.geteuid() != 0:
        reason = "only root can make network namespaces"
    elif not shutil.which("ip") or not shutil.which("tc"):
        reason = "ip and tc are not installed"
    if reason and os.environ.get("OUTLIVE_NO_SKIP"):
        pytest.fail(f"skips are forbidden here: {reason}")
    if reason:
        pytest.skip(reason)


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert 0 == done.returncode, f"{' '.join(words)}: {done.stderr}"


@dataclass(frozen=True)
class Network:
    """Hosts 0, 1, … with the addresses 10.213.N.2, and a router that knows them all."""

    name: str
    count: int

    def host(self, number: int) -> str:
        return f"{self.name}-{number}"

    @property
    def router(self) -> str:
        return f"{self.name}-r"

    def address(self, number: int) -> str:
        return f"10.213.{number}.2"

    def inside(self, number: int) -> list[str]:
        """The beginning of a command that runs on a host."""
        return ["ip", "netns", "exec", self.host(number)]

    def slow_down(self, number: int, rate: str) -> None:
        """What comes to and from a host goes at this rate."""
        for space, device in ((self.router, f"r{number}"), (self.host(number), "eth0")):
            run("ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", device, "root",
                "tbf", "rate", rate, "burst", "32kbit", "latency", "200ms")  # fmt: skip

    def close_port(self, number: int, port: int) -> None:
        """The router drops what goes to this port of a host, as a firewall does."""
        run("ip", "-n", self.router, "rule", "add", "to", self.address(number), "ipproto", "tcp",
            "dport", str(port), "blackhole")  # fmt: skip


@contextlib.contextmanager
def network(count: int) -> Iterator[Network]:
    require_network()
    made = Network(f"outlive{uuid.uuid4().hex[:6]}", count)
    spaces = [made.router, *map(made.host, range(count))]
    try:
        for space in spaces:
            run("ip", "netns", "add", space)
            run("ip", "-n", space, "link", "set", "lo", "up")
        for number in range(count):
            host = made.host(number)
            run("ip", "-n", made.router, "link", "add", f"r{number}", "type", "veth",
                "peer", "name", "eth0", "netns", host)  # fmt: skip
            run(
                "ip", "-n", made.router, "addr", "add", f"10.213.{number}.1/24", "dev", f"r{number}"
            )
            run("ip", "-n", host, "addr", "add", f"{made.address(number)}/24", "dev", "eth0")
            run("ip", "-n", made.router, "link", "set", f"r{number}", "up")
            run("ip", "-n", host, "link", "set", "eth0", "up")
            run("ip", "-n", host, "route", "add", "default", "via", f"10.213.{number}.1")
        run("ip", "netns", "exec", made.router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        yield made
    finally:
        for space in spaces:
            subprocess.run(
                ["ip", "netns", "del", space], capture_output=True, timeout=SECONDS, check=False
            )
