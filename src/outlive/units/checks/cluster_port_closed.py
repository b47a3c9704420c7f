"""Ports that cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import CONNECTIONS
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H702", since="0.2", needs=("cluster",), prevents=("waiting-forever",))
def cluster_port_closed(here: Surroundings) -> Iterator[Finding]:
    """A port that TensorFlow will use is taken, or cannot be reached from another host.

    ## Why it matters
    Every worker must reach every other on its port. With a firewall between two of them, or an old process that holds
    the port, the program hangs at its start: each worker waits for the others. The agent on each host listens on that
    very port during the test.

    ## What to do
    Open the port between the hosts in both directions, end what holds it, or choose another.
    """
    if here.cluster is None:
        yield here.unsure("No cluster was checked.")
        return
    wrong = False
    for node in here.cluster.nodes:
        port = node.name.rpartition(":")[2]
        if node.unreachable:
            wrong = True
            yield here.unsure(
                f"Could not check {node.name}: {node.unreachable}.",
                Fact("start the agent there", "OUTLIVE_TOKEN=… outlive doctor --agent", "docs/doctor.md"),
            )  # fmt: skip
        if node.port_trouble:
            wrong = True
            yield here.will_fail(
                f"Nothing can listen on {node.name}: {node.port_trouble}.",
                Fact("the agent tried", node.name, "bind"),
                remedies=(Remedy("Stop what uses the port, or choose another.", (f"ss -ltnp 'sport = :{port}'",)),),
            )  # fmt: skip
    taken = {node.name for node in here.cluster.nodes if node.port_trouble}
    for link in here.cluster.links:
        if link.error and link.target not in taken:
            wrong = True
            yield here.will_fail(
                f"{link.target} cannot be reached from {link.source}: {link.error}.",
                Fact("tried from", link.source, "a connection to that port"),
                remedies=(Remedy("Open the port between these hosts."),),
            )
    if not wrong:
        yield here.fine(
            f"Every port answers from every host ({len(here.cluster.links)} connections tried).",
            Fact(CONNECTIONS, len(here.cluster.links), "the agents"),
        )
