"""The clocks of the hosts of a cluster disagree."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

APART_SECONDS = 1.0


@check("H703", since="0.2", needs=("cluster",))
def cluster_clocks_apart(here: Surroundings) -> Iterator[Finding]:
    """The clocks of the hosts disagree.

    ## Why it matters
    The newest checkpoint is chosen by its time, logs of several hosts are read side by side, and credentials of storage services are
    refused when a clock is wrong by minutes.

    ## What to do
    Synchronise the hosts' clocks with NTP.
    """
    if here.cluster is None:
        yield here.unsure("No cluster was checked.")
        return
    told = [node for node in here.cluster.nodes if node.clock_offset_seconds is not None]
    if len(told) < 2:
        yield here.unsure("Fewer than two hosts reported their time.")
        return
    offsets = [(node.clock_offset_seconds or 0.0, node) for node in told]
    late = min(offsets, key=lambda pair: pair[0])
    early = max(offsets, key=lambda pair: pair[0])
    apart = early[0] - late[0]
    error = early[1].clock_error_seconds + late[1].clock_error_seconds
    facts = [
        Fact(node.name, f"{offset:+.3f} s against this host (± {node.clock_error_seconds:.3f})", "its clock")
        for offset, node in offsets
    ]  # fmt: skip
    if apart - error > APART_SECONDS:
        yield here.warning(
            f"The clocks of {early[1].name} and {late[1].name} are {apart:.1f} s apart.",
            *facts,
            remedies=(
                Remedy("Synchronise the clocks.", ("timedatectl set-ntp true", "chronyc tracking")),
            ),
        )
    else:
        yield here.fine(f"The clocks agree within {apart:.3f} s (± {error:.3f}).", *facts)
