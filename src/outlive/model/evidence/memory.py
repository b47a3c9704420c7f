"""Memory that ran out: who killed for it, who refused it."""

from __future__ import annotations

import re
from dataclasses import field

from outlive.model.events import Group, OomKill, OomLine, Thrown, WorkerKill
from outlive.model.evidence.children import Children
from outlive.model.evidence.crash import NativeCrash
from outlive.model.evidence.errors import Errors
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.evidence.signals import Signals
from outlive.model.fact_names import ADDRESS_SPACE_LIMIT, MACHINE_MEMORY, MEMORY_LIMIT
from outlive.model.findings import Confidence
from outlive.model.memory import LastRise, Refusal
from outlive.model.quick_dataclass import dataclass
from outlive.model.surroundings_at_death import Circumstances

#: The stack of a thread (8 MB), and twice the arena that malloc reserves for it (64 MB, aligned to as much).
SPACE_OF_A_THREAD_BYTES = 140_000_000

#: TensorFlow uses one error for memory, full disks and open files; only its words tell them apart.
MEMORY_WORDS = re.compile(r"\bOOM\b|allocat|out of memory|insufficient memory", re.IGNORECASE)

NOT_MAPPED = re.compile("failed to map segment from shared object")


@dataclass(frozen=True, slots=True)
class Memory:
    """The limits of memory around the program, and who enforced them."""

    groups: tuple[Group, ...] = ()
    oom_lines: tuple[OomLine, ...] | None = None  #: None: the kernel log could not be read
    brakes: tuple[float, ...] = ()  #: when the brake stopped its code, in seconds since the start
    last_rise: LastRise | None = None  #: of the limit that was nearest; None: it was not sampled
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    signals: Signals = field(default=Signals(), repr=False, compare=False)
    crash: NativeCrash = field(default=NativeCrash(), repr=False, compare=False)
    errors: Errors = field(default=Errors(), repr=False, compare=False)
    children: Children = field(default=Children(), repr=False, compare=False)
    circumstances: Circumstances = field(default=Circumstances(), repr=False, compare=False)

    def oom_kill(self) -> OomKill | None:
        """The kernel's kill of this program for want of memory, if the evidence shows one.

        The kernel's log names the process and decides. Without it, the kill counter of the program's own cgroup must
        have risen at the time of the death, and nobody else may have died there who could account for it.
        """
        if self.run.fatal_signal != "SIGKILL":
            return None
        if self.oom_lines is None and self.signals.sent_to_itself("SIGKILL") is not None:
            return None
        full = next((group for group in self.groups if group.full), None)
        if self.oom_lines is not None:
            mine = [line for line in self.oom_lines if line.pid in self.run.program.own_pids]
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

    def worker_kill(self) -> WorkerKill | None:
        """The kernel's kill of a worker for want of memory, not of the program itself, if the evidence shows one."""
        if self.oom_kill() is not None or self.children.were_coped_with:
            return None
        lines = tuple(line for line in self.oom_lines or () if line.pid in self.run.program.family)
        unasked = tuple(
            child
            for child in self.children.deaths
            if child.signal == "SIGKILL"
            and not child.asked
            and child.pid not in self.signals.killed_by_family()
        )
        counted = sum(group.killed_during_run or 0 for group in self.groups[:1])
        if lines:
            return WorkerKill(Confidence.PROVEN, len(lines), lines, unasked)
        if self.oom_lines is None and unasked and counted:
            return WorkerKill(Confidence.LIKELY, min(len(unasked), counted), (), unasked)
        return None

    @property
    def kill_is_decided(self) -> bool:
        """Whether anything was read that tells the kernel's kill from another process's."""
        return self.oom_lines is not None or any(group.killed is not None for group in self.groups)

    def filled_by_others(self) -> LastRise | None:
        """How others have filled the limit that ended the program or a worker, while its own memory hardly grew.

        A request that was refused is the program's own.
        """
        rise = self.last_rise
        if rise is None or not rise.by_others or self.refused() is not None:
            return None
        return rise

    def exhausted(self) -> tuple[int, ...]:
        """The processes that ran out of memory by what they took themselves: what one held all the time is not why it ended."""
        return () if self.filled_by_others() is not None else self.out_of_memory()

    def out_of_memory(self) -> tuple[int, ...]:
        """The processes for which there was no memory left: the program, and workers that the kernel log names."""
        program = (
            self.oom_kill() is not None or self.refused() is not None or self.braked() is not None
        )
        lines = (self.oom_lines or ()) if self.children.may_be_why else ()
        killed = {line.pid for line in lines if line.pid in self.run.program.family}
        return (*((self.run.program.pid,) if program else ()), *sorted(killed))

    def refused(self) -> Refusal | None:
        """The request for memory whose refusal ended the program."""
        error = self.errors.fatal
        for thrown in error.chain() if error is not None and self.run.failed else ():
            if thrown.raised_by_program:
                continue  # nobody refused anything: the program says so
            if thrown.is_a("MemoryError") or (
                thrown.is_a("ResourceExhaustedError") and MEMORY_WORDS.search(thrown.message)
            ):
                return Refusal.in_text(thrown.message or thrown.type, "exception", thrown.own)
        if self.crash.faulted("SIGABRT") and "std::bad_alloc" in self.run.log:
            return Refusal.in_text("std::bad_alloc", "stderr", self.crash.line)
        return None

    def braked(self) -> Thrown | None:
        """The brake's exception (`outlive run --brake`), if it ended the program."""
        error = self.errors.fatal
        chain = error.chain() if error is not None and self.run.failed else ()
        return next((thrown for thrown in chain if thrown.is_a("MemoryBrake")), None)

    def refused_stack(self) -> Refusal | None:
        """A thread that could not be started because its stack did not fit in the address space."""
        threads = self.circumstances.threads
        if threads is None or threads.address_limit is None:
            return None
        if threads.mapped_bytes + SPACE_OF_A_THREAD_BYTES < threads.address_limit:
            return None
        for thrown, _ in self.errors.last:
            if "can't start new thread" in thrown.message:
                return Refusal(thrown.message, "exception", self.errors.line_of(thrown))
        return None

    def refused_library(self) -> Refusal | None:
        """A library that the loader could not map. Of a folder that is mounted `noexec` it says the same."""
        found = self.errors.like(NOT_MAPPED)
        return (
            Refusal(found[0].message, "exception", self.errors.line_of(found[0])) if found else None
        )

    def room(self) -> int | None:
        """How much memory there was for the program: the limit that refused it, or the smallest that is known."""
        names = [MEMORY_LIMIT, MACHINE_MEMORY]
        if self.refused() is not None:
            names.append(ADDRESS_SPACE_LIMIT)
        known = [value for name in names if isinstance(value := self.run.fact(name), int)]
        return min(known, default=None)
