"""Memory that grew: at which line, and what held it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlive.model.evidence.memory import Memory
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.fact_names import MEMORY_IN_TENSORFLOW_TENSORS
from outlive.model.findings import Fact, Place, Remedy, size
from outlive.model.memory import GOOD_PART_OF_GROWTH, Growth, Holder, Traced
from outlive.model.memory_looks import Ledger, Looks, Making, Use, WideArray
from outlive.model.quick_dataclass import dataclass

#: Types of NumPy's that take eight bytes a number.
EIGHT_BYTES = frozenset({"float64", "int64", "uint64"})

#: A line that made this share of what is alive needs no sample of a stack to be named.
MOST_ALLOCATED = 0.5

#: What keeps a heap from being given back: so many pieces, none of which has pages of its own (malloc's threshold is 128 kB).
MANY_SMALL_PIECES = 1000
SMALL_PIECE_BYTES = 64_000

#: Of the growth, and of it in new addresses: what tells a block that is being filled from many that are kept.
MOST_OF_A_BLOCK = 0.8
FEW_NEW_ADDRESSES = 0.3


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """The lines that ran while memory grew, and the containers, functions and arrays that held it, by process."""

    lines: Mapping[int, Growth] = field(default_factory=dict)
    holders: Mapping[int, tuple[Holder, ...]] = field(default_factory=dict)  #: largest first
    traced: Mapping[int, tuple[Traced, ...]] = field(default_factory=dict)  #: most traced first
    looks: Mapping[int, Looks] = field(default_factory=dict)
    makings: Mapping[int, Making] = field(default_factory=dict)
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    memory: Memory = field(default=Memory(), repr=False, compare=False)

    @property
    def own(self) -> Growth | None:
        """The line that was running while the program's memory grew."""
        return self.lines.get(self.run.program.pid)

    def facts_of_the_last_look(self) -> tuple[Fact, ...]:
        """Where the program's memory was when it was last looked at."""
        looks = self.looks.get(self.run.program.pid)
        if looks is None:
            return ()
        tensors = looks.ledgers[-1].tensor_bytes
        found = [Fact(MEMORY_IN_TENSORFLOW_TENSORS, tensors, "its allocator")] if tensors else []
        for line in looks.allocated[:3]:
            told = f"{size(line.bytes)} in {line.blocks} blocks"
            found.append(Fact(f"alive, made at {line.place}", told, "tracemalloc, by --deep"))
        return tuple(found)

    def growing_line(self, pid: int) -> Place | None:
        """The line of a process that made what is alive (`--deep`), or ran while its memory grew; else the one that ran last."""
        looks = self.looks.get(pid)
        if looks is not None and looks.allocated and looks.allocated[0].share >= MOST_ALLOCATED:
            return looks.allocated[0].place
        growth = self.lines.get(pid)
        if growth is not None:
            return growth.place
        return self.run.busy if pid == self.run.program.pid else None

    def making(self, place: Place | None) -> Making | None:
        """What the program was about to make at a line, and what was alive then; where the line is the one that grew."""
        found = self.makings.get(self.run.program.pid)
        return found if found is not None and found.place == place else None

    def remedies(self, place: Place | None) -> tuple[Remedy, ...]:
        """What to change at a line at which memory ran out, as far as it is known what it makes."""
        making = self.making(place)
        if making is None:
            return ()
        found = []
        if making.change:
            found.append(
                Remedy(
                    f"Line {making.place.line} {making.says}. {making.change[:1].upper()}{making.change[1:]}."
                )
            )
        if making.alive:
            first = making.alive[0].name
            found.append(
                Remedy(
                    f"In memory beside it: {making.beside}. Free what you no longer need, to make room (del {first})."
                    if making.change
                    else f"In memory at that moment: {making.beside}. Free what you no longer need here (del {first}), or work on a part of it at a time."
                )
            )
        return tuple(found)

    def last_ledger(self, pid: int) -> Ledger | None:
        """Where the memory of a process was when it was last looked at; not after a refusal, which gives back what it held."""
        looks = self.looks.get(pid)
        ledgers = [one for one in looks.ledgers if not one.after_refusal] if looks else []
        return ledgers[-1] if ledgers else None

    def use(self, pid: int) -> Use | None:
        """How what a process really used went on; None when it was looked at only once."""
        looks = self.looks.get(pid)
        ledgers = [one for one in looks.ledgers if not one.after_refusal] if looks else []
        if len(ledgers) < 2:
            return None
        earlier = ledgers[: len(ledgers) // 2]
        highest = max(ledger.in_use for ledger in earlier)
        grown = ledgers[-1].own_bytes - earlier[0].own_bytes
        return Use(highest, ledgers[-1].in_use, grown)

    def keeping(self, pid: int) -> tuple[Holder, ...]:
        """The containers that grew to the end, by a good part of what the process came to use, largest first."""
        use = self.use(pid)
        part = min(1.0, use.part) if use is not None and use.grows else 1.0
        return tuple(
            holder
            for holder in self.holders.get(pid, ())
            if holder.believable and holder.grew_by(GOOD_PART_OF_GROWTH * part)
        )

    def keeps_small_pieces(self, pid: int) -> Holder | None:
        """The container with the most elements, if they are many and small: such pieces lie between the holes of a heap."""
        small = [
            holder
            for holder in self.holders.get(pid, ())
            if holder.feeds is not None
            and holder.counted >= MANY_SMALL_PIECES
            and holder.bytes < SMALL_PIECE_BYTES * holder.counted
        ]
        return max(small, key=lambda holder: holder.counted, default=None)

    def fills_one_block(self, pid: int, grown_bytes: int) -> bool:
        """Whether memory of the program grew into address space that it had already: one large array or tensor is being filled.

        What is kept or leaked piece by piece takes its addresses piece by piece, too.
        """
        living = [sample for sample in self.run.samples if sample.rss_bytes]
        if pid != self.run.program.pid or not living:
            return False
        last = living[-1]
        before = [
            sample
            for sample in living
            if sample.rss_bytes <= last.rss_bytes - MOST_OF_A_BLOCK * grown_bytes
        ]
        if not before:
            return False
        risen = last.rss_bytes - before[-1].rss_bytes
        return last.vm_bytes - before[-1].vm_bytes < FEW_NEW_ADDRESSES * risen

    def wide_arrays(self, pid: int) -> tuple[WideArray, ...]:
        """Arrays with more bytes a number than they need, the largest first; one that was asked for and refused before all others."""
        looks = self.looks.get(pid)
        refused = self.memory.refused()
        if looks is None:
            return ()
        shape, _, dtype = (refused.what if refused else "").partition(" and type ")
        asked = shape.removeprefix("an array of shape ")
        for source in looks.narrow:
            if refused and refused.bytes and dtype in EIGHT_BYTES and asked == source.shape:
                why = f"`{source.name}` has the same shape and is {source.dtype}"
                return (
                    WideArray("what this line makes", dtype, asked, refused.bytes, source.dtype,
                              4 * source.elements, why, refused.where),
                )  # fmt: skip
        return looks.arrays
