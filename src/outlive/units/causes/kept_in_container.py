"""A container that only grows."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    ELEMENTS_FIRST_SAMPLE,
    ELEMENTS_LAST_SAMPLE,
    LAST_LINE_SEEN,
    MEMORY_HELD,
    MEMORY_LIMIT,
    PEAK_MEMORY,
    in_bytes,
)
from outlive.model.findings import Confidence, Fact, Finding, Place, Remedy, size
from outlive.model.memory import Holder
from outlive.units.keeping_advice import advice_on
from outlive.units.unit import BEHIND_GROWTH, cause

BYTES_FIRST_SAMPLE = in_bytes("memory held, first sample")

#: Of the memory of its process: less than this is a passenger, not the cause.
WORTH_NAMING = 0.3
MOST = 0.5
#: … and of what is joined anew: the old one and the new one lie side by side while it is.
MOST_BUT_ITS_COPY = 0.4

#: Fewer elements than this are not "everything".
FEWEST = 8
#: … unless they are large ones: so few are more than one in use and one in the making.
FEWEST_LARGE = 4


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
    Results, pictures, tensors or histories are added to a container and never taken out. Each one is small; together they fill the memory, and Linux kills the program.

    ## How we know
    When memory was high, the recorder scanned what the program's own variables and attributes hold: this container
    held a large part of all memory, and it had grown from one sample to the next. The line is the one that adds to it.
    What has no name yet is seen, too: the list that a comprehension or `list(map(…))` is still making, and what a
    library keeps for itself (TensorFlow's graph keeps every function that `py_function` and `from_generator` were
    given). So is one array, table or text that is built again, longer, at every step (`np.concatenate` in a loop).

    ## What to do
    Keep only what is needed later (a number instead of a tensor), write results to disk as they come, or bound the container
    (`deque(maxlen=…)`, `lru_cache(maxsize=…)`).
    """
    for pid in evidence.memory.exhausted():
        use = evidence.growth.use(pid)
        in_holes = use is not None and use.grows  # then what is kept is a part of what is in use
        kept = evidence.growth.keeping(pid)
        for holder in kept[:1]:
            of_use = holder.bytes / max(1, use.now) if use and in_holes else holder.share
            large = holder.counted >= FEWEST_LARGE and holder.share >= MOST
            few = holder.counted < FEWEST and not holder.whole and not large
            if max(holder.share, of_use) < WORTH_NAMING or few:
                continue
            most = MOST_BUT_ITS_COPY if holder.whole else MOST
            many = holder.counted >= FEWEST or holder.whole
            proven = holder.share >= most and holder.grew and many
            sure = Confidence.PROVEN if proven else Confidence.LIKELY
            ledger = evidence.growth.last_ledger(pid)
            if sure is Confidence.LIKELY and ledger and ledger.holes > holder.bytes:
                # What lies free in the heap took more than it did: unless most of what is in use is in it, and grows.
                sure = Confidence.LIKELY if in_holes and of_use >= MOST else Confidence.POSSIBLE
            yield Finding(
                f"{holder.kept}: {size(holder.bytes)}, "
                f"{min(1.0, holder.share):.0%} of the process's memory, and still growing.",
                (
                    *_counts(holder),
                    Fact(MEMORY_HELD, holder.bytes, "in-process heap scan, sampled"),
                    *_places(holder.made),
                    *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
                ),
                sure,
                _remedies(holder),
                where=holder.feeds or evidence.growth.growing_line(pid),
            )


def _counts(holder: Holder) -> tuple[Fact, ...]:
    """How much there was of it at the first look, and at the last."""
    scan = "in-process heap scan"
    if holder.whole:
        return (Fact(BYTES_FIRST_SAMPLE, holder.first_bytes, scan),)
    inner = holder.inner_length > holder.length
    first = holder.first_inner_length if inner else holder.first_length
    last = holder.inner_length if inner else holder.length
    return (
        Fact(ELEMENTS_FIRST_SAMPLE, first, scan),
        Fact(ELEMENTS_LAST_SAMPLE, last, scan),
    )


def _remedies(holder: Holder) -> tuple[Remedy, ...]:
    """What to write instead: it depends on what keeps things."""
    if holder.whole:
        return (
            Remedy(
                f"Write each part to disk instead of joining it to `{holder.name}`: joining needs room for the old and the new one at once.",
            ),
            Remedy("If all of it fits, collect the parts in a list and join them once at the end."),
        )
    if holder.nameless:
        return (
            (
                Remedy(
                    "Handle each result as it comes (a loop or a generator), or write it to disk."
                ),
                Remedy("If all of it must be there at once, use a narrower type."),
            )
            if not holder.by_library
            else (
                Remedy(
                    "Make what the library keeps (a function, a callback) once, before the loop, and hand the data to it as an argument."
                ),
                Remedy(
                    "Or do this work in a worker that is replaced.",
                    ("multiprocessing.Pool(maxtasksperchild=1)",),
                ),
            )
        )
    return advice_on(holder)


def _places(made: Place | None) -> tuple[Fact, ...]:
    """Where the container was made."""
    return (Fact("made at", f"{made} in {made.function}", "the source"),) if made else ()
