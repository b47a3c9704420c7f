"""Names that do not resolve."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H701", since="0.2", needs=("cluster",), prevents=("waiting-forever",))
def cluster_name_unknown(here: Surroundings) -> Iterator[Finding]:
    """A host of the cluster has a name that another host cannot resolve.

    ## Why it matters
    Every worker connects to every other by the name in TF_CONFIG. Where one name does not resolve, all of them wait for the missing one,
    silently and forever.

    ## What to do
    Use names that all hosts know (DNS, a headless service, `/etc/hosts`), or addresses.
    """
    if here.cluster is None:
        yield here.unsure("No cluster was checked.")
        return
    seen: dict[str, list[str]] = {name: ["this host"] for name in here.cluster.unresolved}
    for node in here.cluster.nodes:
        for name in node.unresolved:
            seen.setdefault(name, []).append(node.name)
    for name, hosts in sorted(seen.items()):
        yield here.will_fail(
            f"The name {name} does not resolve on {', '.join(dict.fromkeys(hosts))}.",
            Fact("named in", here.cluster.source, "the list of hosts"),
            Fact("asked on", ", ".join(dict.fromkeys(hosts)), "getaddrinfo"),
            remedies=(Remedy("Add the name to DNS or /etc/hosts there, or use an address.", (f"getent hosts {name}",)),),
        )  # fmt: skip
    if not seen:
        asked = sum(1 for node in here.cluster.nodes if not node.unreachable)
        yield here.fine(
            f"All {len(here.cluster.nodes)} names resolve, on this host and on {asked} others.",
            Fact("named in", here.cluster.source, "the list of hosts"),
        )
