"""A container that only grows."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Place, Remedy, size
from outlive.unit import BEHIND_GROWTH, cause

#: Of the memory of its process: less than this is a passenger, not the cause.
WORTH_NAMING = 0.3
MOST = 0.5

#: Fewer elements than this are not "everything".
FEWEST = 8


@cause(
    "D111",
    since="0.1",
    behind=BEHIND_GROWTH,
    searched=(
        "RAM keeps increasing every epoch",
        "memory grows list append tensors",
        "lru_cache memory leak",
        "tensorflow memory leak",
        "tensorflow kernel died",
    ),
)
def kept_in_container(evidence: Evidence) -> Iterator[Finding]:
    """A list, dictionary or cache of the program keeps everything that is put into it.

    ## What happened
    Results, pictures, tensors or histories are added to a container and never taken out. Each one is small; together they fill the
    memory, and the kernel ends the program.

    ## How we know
    When memory was in danger, the recorder looked at what the program's own variables and attributes hold: this container held a large
    part of all memory, and it had grown from one look to the next. The line is the one that puts things into it.

    ## What to do
    Keep only what is needed later (a number instead of a tensor), write results to disk as they come, or bound the container
    (`deque(maxlen=…)`, `lru_cache(maxsize=…)`).
    """
    for pid in evidence.exhausted():
        kept = [
            holder for holder in evidence.holders.get(pid, ()) if holder.believable and holder.grew
        ]
        for holder in kept[:1]:
            if holder.share < WORTH_NAMING or holder.counted < FEWEST:
                continue
            sure = Confidence.PROVEN if holder.share >= MOST else Confidence.LIKELY
            ledger = evidence.last_ledger(pid)
            if sure is Confidence.LIKELY and ledger and ledger.holes > holder.bytes:
                sure = Confidence.POSSIBLE  # what lies free in the heap took more than it did
            yield Finding(
                f"{holder.kept}: {size(holder.bytes)}, "
                f"{min(1.0, holder.share):.0%} of the program's own memory, and it was growing.",
                (
                    Fact(
                        "elements at the first look", holder.first_length, "census in the program"
                    ),
                    Fact("elements at the last look", holder.length, "census in the program"),
                    Fact("memory held", holder.bytes, "census in the program, by samples"),
                    *_places(holder.made),
                    *evidence.because("memory limit", "peak memory", "last line seen"),
                ),
                sure,
                (
                    Remedy(
                        f"Keep less in `{holder.name}`: the numbers you need, or write each result to disk as it comes."
                    ),
                    Remedy("Or bound it: collections.deque(maxlen=…), lru_cache(maxsize=…)."),
                ),
                where=holder.feeds or evidence.growing_line(pid),
            )


def _places(made: Place | None) -> tuple[Fact, ...]:
    """Where the container was made."""
    return (Fact("made at", f"{made} in {made.function}", "the source"),) if made else ()
