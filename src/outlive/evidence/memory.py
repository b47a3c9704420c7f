"""Questions about memory: who ran out of it, who refused it, what grew and what held it."""

from __future__ import annotations

import re

from outlive.evidence.crashes import Crashes
from outlive.memory_looks import Ledger, WideArray
from outlive.memory_use import Growth, Holder, Refusal
from outlive.model import Confidence, Fact, Place, size
from outlive.observed import OomKill, Thrown

#: Types of NumPy's that take eight bytes a number.
EIGHT_BYTES = frozenset({"float64", "int64", "uint64"})

#: A line that made this share of what is alive needs no sample of a stack to be named.
MOST_ALLOCATED = 0.5

#: What keeps a heap from being given back: so many pieces, none of which has pages of its own (malloc's threshold is 128 kB).
MANY_SMALL_PIECES = 1000
SMALL_PIECE_BYTES = 64_000

#: The stack of a thread (8 MB), and twice the arena that malloc reserves for it (64 MB, aligned to as much).
SPACE_OF_A_THREAD_BYTES = 140_000_000

#: Of the growth, and of it in new addresses: what tells a block that is being filled from many that are kept.
MOST_OF_A_BLOCK = 0.8
FEW_NEW_ADDRESSES = 0.3

#: TensorFlow uses one error for memory, full disks and open files; only its words tell them apart.
MEMORY_WORDS = re.compile(r"\bOOM\b|allocat|out of memory|insufficient memory", re.IGNORECASE)

NOT_MAPPED = re.compile("failed to map segment from shared object")


class Memory(Crashes):
    """With the questions about memory."""

    __slots__ = ()

    @property
    def growth(self) -> Growth | None:
        """The line that was running while the program's memory grew."""
        return self.growths.get(self.program.pid)

    def oom_kill(self) -> OomKill | None:
        """The kernel's kill of this program for want of memory, if the evidence shows one.

        The kernel's log names the process and decides. Without it, the kill counter of the program's own control group must
        have risen at the time of the death, and nobody else may have died there who could account for it.
        """
        if self.fatal_signal != "SIGKILL":
            return None
        full = next((group for group in self.groups if group.full), None)
        if self.oom_lines is not None:
            mine = [line for line in self.oom_lines if line.pid in self.program.own_pids]
            if not mine:
                return None
            named = next(
                (group for group in self.groups if group.path.endswith(mine[-1].group)), full
            )
            group = None if mine[-1].whole_machine else (named if mine[-1].group else full)
            return OomKill(Confidence.PROVEN, mine[-1].whole_machine, group, mine[-1])
        # The nearest group that can be read decides: where only an ancestor's count rose, somebody else was killed.
        nearest = next((group for group in self.groups if group.killed is not None), None)
        kills = nearest.killed if nearest is not None else None
        if nearest is None or kills is None or kills <= 0:
            return None
        alone = nearest.vanished is not None and nearest.vanished <= kills
        sure = Confidence.PROVEN if alone and full is not None else Confidence.LIKELY
        return OomKill(sure, full is None, full)

    @property
    def kill_is_decided(self) -> bool:
        """Whether anything was read that tells the kernel's kill from another process's."""
        return self.oom_lines is not None or any(group.killed is not None for group in self.groups)

    def exhausted(self) -> tuple[int, ...]:
        """The processes whose memory ran out: the program, and workers that the kernel's log names."""
        program = (
            self.oom_kill() is not None
            or self.refused_memory() is not None
            or self.braked() is not None
        )
        lines = () if self.coped_with_its_workers else self.oom_lines or ()
        killed = {line.pid for line in lines if line.pid in self.program.family}
        return (*((self.program.pid,) if program else ()), *sorted(killed))

    @property
    def coped_with_its_workers(self) -> bool:
        """The program asked for a result, was told that its pool is broken, and ended well all the same: with smaller batches, or without."""
        return not self.failed and any(
            thrown.seen and thrown.is_a("BrokenProcessPool", "BrokenExecutor")
            for thrown in self.errors
        )

    def refused_memory(self) -> Refusal | None:
        """The request for memory whose refusal ended the program."""
        error = self.fatal_error
        for thrown in error.chain() if error is not None and self.failed else ():
            if thrown.is_a("MemoryError") or (
                thrown.is_a("ResourceExhaustedError") and MEMORY_WORDS.search(thrown.message)
            ):
                return Refusal.in_text(thrown.message or thrown.type, "exception", thrown.own)
        if self.fatal_signal == "SIGABRT" and "std::bad_alloc" in self.log:
            return Refusal.in_text("std::bad_alloc", "stderr", self.crash_line)
        return None

    def braked(self) -> Thrown | None:
        """The brake's exception (`outlive run --brake`), if it ended the program."""
        error = self.fatal_error
        chain = error.chain() if error is not None and self.failed else ()
        return next((thrown for thrown in chain if thrown.is_a("MemoryBrake")), None)

    def refused_stack(self) -> Refusal | None:
        """A thread that could not be started because its stack did not fit in the address space."""
        threads = self.circumstances.threads
        if threads is None or threads.address_limit is None:
            return None
        if threads.mapped_bytes + SPACE_OF_A_THREAD_BYTES < threads.address_limit:
            return None
        for thrown, _ in self.last_errors:
            if "can't start new thread" in thrown.message:
                return Refusal(thrown.message, "exception", self.line_of(thrown))
        return None

    def refused_library(self) -> Refusal | None:
        """A library that the loader could not map. Of a folder that is mounted `noexec` it says the same."""
        found = self.error_like(NOT_MAPPED)
        return Refusal(found[0].message, "exception", self.line_of(found[0])) if found else None

    def room(self) -> int | None:
        """How much memory there was for the program: the limit that refused it, or the smallest that is known."""
        names = ["memory limit", "machine memory"]
        if self.refused_memory() is not None:
            names.append("address space limit")
        known = [value for name in names if isinstance(value := self.fact(name), int)]
        return min(known, default=None)

    def facts_of_the_last_look(self) -> tuple[Fact, ...]:
        """Where the program's memory was when it was last looked at."""
        looks = self.looks.get(self.program.pid)
        if looks is None:
            return ()
        tensors = looks.ledgers[-1].tensor_bytes
        found = (
            [Fact("memory in TensorFlow's tensors", tensors, "its allocator")] if tensors else []
        )
        for line in looks.allocated[:3]:
            told = f"{size(line.bytes)} in {line.blocks} blocks"
            found.append(Fact(f"alive, made at {line.place}", told, "tracemalloc, by --deep"))
        return tuple(found)

    def growing_line(self, pid: int) -> Place | None:
        """The line of a process that made what is alive (`--deep`), or ran while its memory grew; else the one that ran last."""
        looks = self.looks.get(pid)
        if looks is not None and looks.allocated and looks.allocated[0].share >= MOST_ALLOCATED:
            return looks.allocated[0].place
        growth = self.growths.get(pid)
        if growth is not None:
            return growth.place
        return self.busy if pid == self.program.pid else None

    def last_ledger(self, pid: int) -> Ledger | None:
        """Where the memory of a process was when it was last looked at; not after a refusal, which gives back what it held."""
        looks = self.looks.get(pid)
        ledgers = [one for one in looks.ledgers if not one.after_refusal] if looks else []
        return ledgers[-1] if ledgers else None

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
        living = [sample for sample in self.samples if sample.rss_bytes]
        if pid != self.program.pid or not living:
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
        refused = self.refused_memory()
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
