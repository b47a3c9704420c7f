"""A link that holds everybody up."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Below this, gradients of a middling model (100 MB) take ten seconds a step.
SLOW_BYTES = 12_500_000

#: A link that has so small a part of what the others have.
PART = 0.2


@check("H704", since="0.2", needs=("cluster",))
def cluster_link_slow(here: Surroundings) -> Iterator[Finding]:
    """A link between two hosts is slow, or much slower than the others.

    ## Why it matters
    In synchronous training every step waits for the slowest link: one worker behind a slow one makes all of them slow, and nothing in the
    logs says which. The rate of each link is measured in each direction, through the port that TensorFlow will use.

    ## What to do
    Put the hosts into one network; check the cable, the virtual switch or the cloud's placement; or leave the slow host
    out.
    """
    if here.cluster is None:
        yield here.unsure("No cluster was checked.")
        return
    measured = [link for link in here.cluster.links if link.bytes_per_second is not None]
    if not measured:
        yield here.unsure("No link could be measured.")
        return
    rates = [link.bytes_per_second or 0.0 for link in measured]
    middle = statistics.median(rates)
    slow = [
        link
        for link, rate in zip(measured, rates, strict=True)
        if rate < max(SLOW_BYTES, PART * middle)
    ]
    for link in slow:
        rate = link.bytes_per_second or 0.0
        yield here.warning(
            f"From {link.source} to {link.target} the link has {said(rate)}; the median of all links is {said(middle)}.",
            Fact("rate", said(rate), "bytes counted by the receiving agent"),
            Fact("round trip", f"{1000 * (link.round_trip_seconds or 0):.2f} ms", "echoes between the agents"),
            remedies=(
                Remedy("Check the network between these hosts, or drop the slow one.", (f"ping -c 5 {link.target.rpartition(':')[0]}",)),
            ),
        )  # fmt: skip
    if not slow:
        least = min(measured, key=lambda link: link.bytes_per_second or 0.0)
        longest = max(link.round_trip_seconds or 0.0 for link in measured)
        yield here.fine(
            f"The slowest of {len(measured)} links has {said(least.bytes_per_second or 0.0)}; round trips up to {1000 * longest:.1f} ms.",
            Fact("slowest", f"{least.source} to {least.target}", "the agents"),
        )


def said(rate: float) -> str:
    """As networks are sold: bits a second."""
    bits = 8 * rate
    for unit, step in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits >= step:
            return f"{bits / step:.1f} {unit}"
    return f"{bits:.0f} bit/s"
