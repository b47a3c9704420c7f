"""View: all that is known about one run; what causes are asked of.

Frozen and picklable, so that it can be stored, replayed, and judged on another machine. A question that two causes ask of the
evidence is answered here, never in one of them.
"""

from __future__ import annotations

import re
import signal as signals
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from outlive.circumstances import Circumstances, Installation, Room
from outlive.crash_site import Site
from outlive.data_use import Inspection, Scene
from outlive.memory_looks import Looks, WideArray
from outlive.memory_use import Growth, Holder, Refusal, Stage, Traced
from outlive.model import Confidence, Ending, EndingKind, Fact, Place, Value, size
from outlive.observed import (
    Act,
    Cell,
    ChildDeath,
    Crash,
    Group,
    OomKill,
    OomLine,
    Origin,
    Program,
    Quit,
    Received,
    Sample,
    Sent,
    Stack,
    Thrown,
    TimerSet,
)
from outlive.senders import kernel_words, known, lineage, name_of
from outlive.waiting import Standstill, Waiting

__all__ = ["Circumstances", "Evidence", "Installation", "Room", "Thrown"]

#: /proc counts CPU time in ticks and after the fact.
CPU_CLOCK_SLACK_SECONDS = 0.5

#: Types of NumPy's that take eight bytes a number.
EIGHT_BYTES = frozenset({"float64", "int64", "uint64"})

#: A line that made this share of what is alive needs no sample of a stack to be named.
MOST_ALLOCATED = 0.5

#: A stage that may hold this share of the limit is no passenger.
LARGE_STAGE = 0.4
#: Of the program's own memory, counted: so much was not filled by anything else; so little filled nothing.
MOST_OF_MEMORY = 0.5
EMPTY_STAGE = 0.1
#: … and one that may hold this share leaves room for the rest of the program.
MODEST_STAGE = 0.25

#: What keeps a heap from being given back: so many pieces, none of which has pages of its own (malloc's threshold is 128 kB).
MANY_SMALL_PIECES = 1000
SMALL_PIECE_BYTES = 64_000

#: What people and schedulers send to a program that hangs.
ENDED_BY_THE_IMPATIENT = ("SIGINT", "SIGTERM", "SIGKILL", "SIGHUP", "SIGQUIT")

#: The stack of a thread (8 MB), and twice the arena that malloc reserves for it (64 MB, aligned to as much).
SPACE_OF_A_THREAD_BYTES = 140_000_000

#: ``import a.b as c``, ``from a import b``.
IMPORTED = re.compile(r"(?:from|import)\s+(\w+)|.*import_module\(['\"](\w+)")

#: Of the growth, and of it in new addresses: what tells a block that is being filled from many that are kept.
MOST_OF_A_BLOCK = 0.8
FEW_NEW_ADDRESSES = 0.3

#: What Python calls while a pipeline works in threads of its own.
#: Where a thread is that waits for the next element of a pipeline: in a loop, in `fit`.
READS_A_PIPELINE = (
    "/tensorflow/python/data/ops/iterator_ops.py",
    "/keras/src/backend/tensorflow/trainer.py",
)

ITERATOR_OPERATIONS = frozenset({"makeiterator", "iteratorgetnext", "iteratorgetnextsync"})

#: Nobody has so many elements: a parameter like this stands for "all", and native code takes it at its word.
ABSURDLY_MANY = 1 << 31

#: TensorFlow uses one error for memory, full disks and open files; only its words tell them apart.
MEMORY_WORDS = re.compile(r"\bOOM\b|allocat|out of memory|insufficient memory", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known about one run; the only argument that a cause receives."""

    ending: Ending
    program: Program = field(default_factory=Program)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    gaps: Mapping[str, str] = field(default_factory=dict)  #: fact name -> why it is missing
    samples: tuple[Sample, ...] = ()
    groups: tuple[Group, ...] = ()
    oom_lines: tuple[OomLine, ...] | None = None  #: None: the kernel's log could not be read
    stacks: tuple[Stack, ...] = ()  #: the last that were seen, main thread first
    errors: tuple[Thrown, ...] = ()
    quits: tuple[Quit, ...] = ()
    shown: tuple[Thrown, ...] = ()  #: exceptions whose traceback the program itself printed
    signals: tuple[Received, ...] = ()
    sent: tuple[Sent, ...] = ()
    timers: tuple[TimerSet, ...] = ()
    children: tuple[ChildDeath, ...] = ()
    crash: Crash | None = None
    operation_line: Place | None = None  #: the only line of the source that asks for what crashed
    library_line: Place | None = None  #: the only one that loads the library in which it crashed
    growths: Mapping[int, Growth] = field(default_factory=dict)  #: by process
    holders: Mapping[int, tuple[Holder, ...]] = field(
        default_factory=dict
    )  #: by process, largest first
    traced: Mapping[int, tuple[Traced, ...]] = field(
        default_factory=dict
    )  #: by process, the most traced first
    looks: Mapping[int, Looks] = field(default_factory=dict)  #: by process
    stages: tuple[Stage, ...] = ()
    standstill: Standstill | None = None  #: when it stood still, and did not go on until the end
    acts: tuple[Act, ...] = ()  #: what the program closed and cancelled
    brakes: tuple[float, ...] = ()  #: when the brake stopped its code, in seconds since the start
    scene: Scene = field(default_factory=Scene)
    inspection: Inspection = field(default_factory=Inspection)
    log: str = ""
    cells: tuple[Cell, ...] = ()  #: of a notebook, in the order in which they were run
    notebook: tuple[str, ...] = ()  #: all its cells in the order of the file, when that is known
    circumstances: Circumstances = field(default_factory=Circumstances)

    def fact(self, name: str) -> Value:
        """The value of a fact, or ``None`` when it is missing."""
        found = self.facts.get(name)
        return found.value if found else None

    @property
    def fatal_signal(self) -> str | None:
        """The signal that ended the program, also when a shell around it reports 128+n."""
        code = self.ending.exit_code
        if self.ending.signal or not (self.program.shell and code and code > 128):
            return self.ending.signal
        try:
            return signals.Signals(code - 128).name
        except ValueError:
            return None

    @property
    def failed(self) -> bool:
        """Whether the run ended in any way but well."""
        return self.ending.kind is not EndingKind.SUCCESS

    @property
    def uncaught(self) -> Thrown | None:
        """The exception that ended the program, if one did."""
        ended = [thrown for thrown in self.errors if thrown.origin is Origin.MAIN]
        own_pid = [thrown for thrown in ended if thrown.pid == self.program.pid]
        return next(reversed(own_pid or ended), None)

    @property
    def caught(self) -> Thrown | None:
        """The exception that the program caught and then ended itself for: while it handled it, or right after it had shown it.

        Of several that were shown nobody can tell which it was; a program that went on after it may have had another reason.
        """
        mine = [quit for quit in self.quits if quit.pid == self.program.pid]
        last = mine[-1] if mine and mine[-1].status == self.ending.exit_code else None
        if last is None or not last.status:
            return None
        if last.handling is None and len(self.shown) == 1:
            shown = self.shown[0]
            return shown if shown.left and last.follows(shown) else None
        return last.left_for

    @property
    def fatal_error(self) -> Thrown | None:
        """The exception that the program ended for: nobody caught it, or the program did and left."""
        return self.uncaught or self.caught

    @property
    def sure_of_fatal_error(self) -> Confidence:
        """Who catches an exception may have had other reasons to leave; nobody else has."""
        caught = self.uncaught is None and self.caught is not None
        return Confidence.LIKELY if caught else Confidence.PROVEN

    @property
    def lost_errors(self) -> tuple[Thrown, ...]:
        """Exceptions in the background that the program never asked for, oldest first."""
        return tuple(
            thrown for thrown in self.errors if thrown.origin is not Origin.MAIN and not thrown.seen
        )

    @property
    def stuck(self) -> Standstill | None:
        """The standstill that the program did not get out of by itself: it still is in it, or somebody ended it there."""
        found = self.standstill
        if found is None or found.working:
            return None
        patience = self.ending.signal in ENDED_BY_THE_IMPATIENT or (
            self.uncaught is not None and self.uncaught.is_a("KeyboardInterrupt")
        )
        return found if self.ending.kind is EndingKind.HANG or patience else None

    @property
    def last_errors(self) -> tuple[tuple[Thrown, Confidence], ...]:
        """The exceptions that ended the program, nearest first, each with how sure it is that it did.

        The uncaught one ended it; what was raised before it may have. A program that exits while it handles an exception mostly
        does so for its sake. Where nothing else is known, an error in the background that nobody asked for may be the reason.
        """
        if not self.failed:
            return ()
        error = self.fatal_error
        if error is not None:
            first, *before = error.chain()
            told_again = first.is_a("BaseExceptionGroup") or any(
                thrown.type.endswith("RemoteTraceback") for thrown in before
            )
            sure = self.sure_of_fatal_error if told_again else Confidence.LIKELY
            return ((first, self.sure_of_fatal_error), *((thrown, sure) for thrown in before))
        return tuple(
            (thrown, Confidence.LIKELY)
            for error in self.lost_errors[-1:]
            for thrown in error.chain()
        )

    def error_like(
        self, pattern: re.Pattern[str], *numbers: int
    ) -> tuple[Thrown, Confidence] | None:
        """The error that ended the program, if its text or its number is of this kind.

        Of several the first that was raised: closing a file that could not be written fails again.
        """
        alike = [
            (thrown, sure)
            for thrown, sure in self.last_errors
            if thrown.errno in numbers or pattern.search(thrown.message)
        ]
        return (alike[-1][0], alike[0][1]) if alike else None

    def line_of(self, error: Thrown) -> Place | None:
        """The user's line that an error came from, or, for one that came from elsewhere, that it ended."""
        return error.own or (self.fatal_error.own if self.fatal_error else None) or self.busy

    def importing(self, error: Thrown, but: tuple[str, ...] = ()) -> str:
        """What was being imported when an error was raised: an installed package, or the user's own module."""
        if error.module and error.module.partition(".")[0] not in but:
            return error.module.partition(".")[0]
        for frame in error.frames:
            if frame.package and frame.package not in but:
                return frame.package
            if frame.own and (named := IMPORTED.match(frame.code)):
                return named[1] or named[2]
        return ""

    @property
    def busy(self) -> Place | None:
        """The user's line that ran last in the main thread, or else in any thread."""
        return next((place for stack in self.stacks if (place := stack.own)), None)

    @property
    def growth(self) -> Growth | None:
        """The line that was running while the program's memory grew."""
        return self.growths.get(self.program.pid)

    def sender_of(self, signal: str) -> Received | None:
        """The last signal of this name that reached the program, and who sent it."""
        return next((got for got in reversed(self.signals) if got.signal == signal), None)

    def sent_to_itself(self, signal: str) -> Sent | None:
        """The program's own line that sent it this signal."""
        mine = [
            sent
            for sent in self.sent
            if sent.signal == signal and sent.target in self.program.own_pids
        ]
        return mine[-1] if mine else None

    def timer_of(self, signal: str) -> TimerSet | None:
        """The program's last setting of the timer that sends this signal, if it set one going."""
        mine = [
            timer
            for timer in self.timers
            if timer.signal == signal and timer.pid in self.program.own_pids
        ]
        return mine[-1] if mine and mine[-1].seconds > 0 else None

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
        program = self.oom_kill() is not None or self.refused_memory() is not None
        killed = {line.pid for line in self.oom_lines or () if line.pid in self.program.family}
        return (*((self.program.pid,) if program else ()), *sorted(killed))

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

    def room(self) -> int | None:
        """How much memory there was for the program: the limit that refused it, or the smallest that is known."""
        names = ["memory limit", "machine memory"]
        if self.refused_memory() is not None:
            names.append("address space limit")
        known = [value for name in names if isinstance(value := self.fact(name), int)]
        return min(known, default=None)

    def overfull_stage(self, kind: str) -> Stage | None:
        """The stage of this kind that may hold a large part of the memory that ran out."""
        if self.oom_kill() is None and self.refused_memory() is None:
            return None
        limit = self.room_for_stages
        mine = [
            stage for stage in self.stages if stage.kind == kind and stage.pid == self.program.pid
        ]
        for stage in mine:
            if stage.held is not None and stage.held.share >= LARGE_STAGE:
                return stage
        # What was nearly empty at the last look did not fill the memory, however much it may hold.
        largest = max(
            (stage for stage in mine if stage.held is None or stage.held.share > EMPTY_STAGE),
            key=lambda stage: stage.bytes or 0,
            default=None,
        )
        if largest is None or limit is None:
            return None
        return largest if (largest.bytes or 0) >= LARGE_STAGE * limit else None

    def confidence_in(self, stage: Stage) -> Confidence:
        """TensorFlow's own count proves it, and so does a buffer that can never be filled; what a stage may hold makes it likely."""
        counted = stage.held is not None and stage.held.share >= MOST_OF_MEMORY
        proven = counted or self._cannot_be_filled(stage)
        return Confidence.PROVEN if proven else Confidence.LIKELY

    def _cannot_be_filled(self, stage: Stage) -> bool:
        """A shuffle that must be full before its first element comes out, with more than the limit at which the kernel killed the program while
        it waited for an element: nothing behind it can have run, so nothing behind it can have taken the memory."""
        limit, kill = self.fact("memory limit"), self.oom_kill()
        if stage.kind != "shuffle" or kill is None or kill.confidence is not Confidence.PROVEN:
            return False
        reads = any(
            stack.pid in (0, self.program.pid) and frame.file.endswith(READS_A_PIPELINE)
            for stack in self.stacks
            for frame in stack.frames
        )
        known = stage.elements is not None and isinstance(limit, int)
        return known and reads and (stage.bytes or 0) >= int(limit or 0)

    @property
    def room_for_stages(self) -> int | None:
        """The limit that a pipeline's buffers are measured by."""
        limit = self.fact("memory limit") or self.fact("machine memory")
        return limit if isinstance(limit, int) else None

    def modest(self, stage: Stage) -> int:
        """How many elements a stage may hold in a quarter of the limit: two digits of it, as a person would write."""
        room, each = self.room_for_stages, stage.each
        count = int(MODEST_STAGE * room / each) if room and each else 0
        step = int("1" + "0" * max(0, len(str(count)) - 2))
        return count // step * step

    def facts_of_stage(self, stage: Stage) -> tuple[Fact, ...]:
        """What is known about a stage that held too much."""
        source = "the pipeline as it was built"
        counted: tuple[Fact, ...] = ()
        if stage.held is not None:
            model = "TensorFlow's model of the running pipeline, at the last look"
            counted = (
                Fact("elements it held", stage.held.elements, model),
                Fact("memory it held", stage.held.bytes, model),
            )
        built = (
            Fact("elements it may hold", stage.holds, source),
            Fact("size of one element, bytes", stage.element_bytes, source),
            Fact("memory it may hold", stage.bytes, source),
        )
        return (
            *counted,
            *(fact for fact in built if fact.value is not None),
            *self.because("memory limit", "peak memory", "last line seen"),
        )

    def over_cpu_limit(self) -> bool:
        """Ended by SIGKILL with as much CPU time used as the hard limit allows: the kernel's way to enforce it."""
        limit, used = self.fact("cpu time limit, hard"), self.fact("cpu time")
        if self.fatal_signal != "SIGKILL" or not isinstance(limit, int) or used is None:
            return False
        return float(used) >= limit - CPU_CLOCK_SLACK_SECONDS

    def killed_by_family(self) -> frozenset[int]:
        """Processes that the program itself sent SIGKILL to."""
        return frozenset(sent.target for sent in self.sent if sent.signal == "SIGKILL")

    def last_quit(self, call: str) -> Quit | None:
        """The program's last call of ``sys.exit`` or ``os._exit``, if that is what ended it with this status."""
        mine = [
            quit
            for quit in self.quits
            if quit.pid == self.program.pid and not quit.in_library("multiprocessing")
        ]
        if not mine or mine[-1].call != call or mine[-1].status != self.ending.exit_code:
            return None
        return mine[-1]

    def aborted_at(self) -> Quit | None:
        """The program's own call of ``os.abort``, if that is what ended it."""
        if self.fatal_signal != "SIGABRT":
            return None
        mine = [q for q in self.quits if q.pid == self.program.pid and q.call == "os.abort"]
        return mine[-1] if mine else None

    def of_crashed_worker(self) -> tuple[ChildDeath, Evidence] | None:
        """What is known of the worker whose death the program failed of, or waits for ever because of: as if it had been run.

        Only of one that nobody in the program ended, and only when the program had to do with it: it was told that its pool is
        broken, or it waits.
        """
        error = self.uncaught
        errors = [*(error.chain() if error is not None else ()), *self.lost_errors]
        told = any(thrown.is_a("BrokenProcessPool", "BrokenExecutor") for thrown in errors)
        if (self.fatal_signal or not told) and self.stuck is None:
            return None
        named = {line.pid for line in self.oom_lines or ()}
        for child in self.children:
            ended = self.killed_by_family() | named
            if child.asked or child.pid in ended or not (child.signal or child.exit_code):
                continue
            if child.signal == "SIGKILL" and any(g.killed_during_run for g in self.groups[:1]):
                continue
            return child, self.of_child(child)
        return None

    def of_child(self, child: ChildDeath) -> Evidence:
        """What is known of a child that died, as if it had been run."""
        kind = EndingKind.SIGNAL if child.signal else EndingKind.EXIT
        return replace(
            self,
            ending=Ending(kind, child.signal, child.exit_code),
            program=replace(
                self.program, pid=child.pid, own_pids=frozenset({child.pid}), finished=False
            ),
            signals=tuple(got for got in self.signals if got.pid == child.pid),
            crash=self.crash if self.crash and self.crash.pid == child.pid else None,
            errors=tuple(thrown for thrown in self.errors if thrown.pid == child.pid),
            stacks=(),
            children=(),
            stages=(),
            standstill=None,
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

    def faulted(self, *names: str) -> bool:
        """Whether the program ended by one of these signals because of what it did, not because somebody sent it."""
        name = self.fatal_signal
        if name is None or name not in names or self.sent_to_itself(name) is not None:
            return False
        got = self.sender_of(name)
        if got is None or got.sender_pid is None:
            return True
        return (
            got.itself and name == "SIGABRT" and not self.raised_abort
        )  # abort() sends it to its own thread

    @property
    def raised_abort(self) -> bool:
        """Whether SIGABRT was sent by Python code (os.abort, signal.raise_signal) rather than by a check in native code."""
        if self.aborted_at() is not None:
            return True
        site = self.site
        return site is not None and len(site.call) < len(site.frames) and not site.aborted

    @property
    def crash_line(self) -> Place | None:
        """The user's line in the crashing thread, or else in any thread at the crash."""
        stacks = self.crash.stacks if self.crash else ()
        return next((place for stack in stacks if (place := stack.own)), None)

    @property
    def finishing(self) -> bool:
        """Whether the main thread crashed in a function that Python itself had called, as it does while it ends."""
        site, crash = self.site, self.crash
        if site is None or not site.main_thread or crash is None or self.program.finished:
            return False
        return crash.begins_outside_a_module

    @property
    def site(self) -> Site | None:
        """Where in native code the program's own death struck."""
        name = self.fatal_signal
        mine = [
            got.site
            for got in self.signals
            if got.site is not None and got.signal == name and got.pid in self.program.own_pids
        ]
        return mine[-1] if mine else None

    @property
    def tensorflow_call(self) -> Stack | None:
        """The Python stack that had called TensorFlow when the program crashed in native code, if that is where it crashed.

        The native frames decide, where they say anything; without them the innermost Python frame does.
        """
        site, crash = self.site, self.crash
        inside = site.in_tensorflow if site is not None else None
        if inside is False:
            return None
        stack = crash.stack_in("tensorflow", "keras", "tf_keras") if crash is not None else None
        if stack is None and inside:
            stacks = crash.stacks if crash is not None else self.stacks
            return next((found for found in stacks if found.own), Stack("", ()))
        return stack

    def operation_of(self, stack: Stack) -> tuple[Place | None, str]:
        """The user's line that a crash in TensorFlow is about, and how it is known.

        Where Python itself had called the kernel, that is the line it stood on. Otherwise it waited for a pipeline or a graph.
        """
        kernel, operation = self.site.kernel if self.site else "", stack.tensorflow_operation
        called = (operation or "").replace("_", "")
        if called and called not in ITERATOR_OPERATIONS and kernel.lower().startswith(called):
            return stack.own, ""
        if self.operation_line is not None:
            return self.operation_line, "the only line of the source that asks for it"
        if called in ITERATOR_OPERATIONS:
            endless = [stage for stage in self.stages if stage.buffer >= ABSURDLY_MANY]
            if len(endless) == 1 and endless[0].place is not None:
                return endless[
                    0
                ].place, f"a stage of the pipeline, told to take {endless[0].buffer}"
        return stack.own, ""

    def facts_of_crash(self) -> tuple[Fact, ...]:
        """What is known about a death in native code: its headline, the code at the top, the address."""
        found = []
        if self.crash is not None:
            found.append(Fact("fatal error", self.crash.headline, "faulthandler in the program"))
        site = self.site
        if site is not None:
            by_kernel = "the kernel's log"
            source = "the handler in the program, and the symbols of the mapped files"
            if site.frames:
                source = source if site.counter else by_kernel
                found.append(Fact("native frames", site.words_for_frames(), source))
            if site.fault is not None and site.fault.words:
                source = "siginfo and /proc/PID/maps" if site.counter or site.code else by_kernel
                found.append(Fact("address", site.fault.words, source))
            got = self.sender_of(self.fatal_signal or "")
            if got is not None and got.thread and not site.main_thread:
                found.append(Fact("thread", got.thread, "the kernel's name of it", private=True))
        return tuple(found)

    def facts_before_quitting(self, call: Quit) -> tuple[Fact, ...]:
        """Why the program may have decided to end: the exception it was handling, a signal that it had received."""
        found = []
        if call.handling is not None:
            words = f"{call.handling.type}: {call.handling.message.strip()[:200]}"
            found.append(Fact("while handling", words, "the program"))
            if call.handling.own is not None:
                found.append(Fact("which was raised at", str(call.handling.own), "the program"))
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            got = self.sender_of(name)
            if got is not None and not got.itself:
                who = self.words_for_sender(got) or kernel_words(name)
                found.append(Fact(f"received {name} before, from", who, "siginfo", private=True))
        return tuple(found)

    def words_for_sender(self, got: Received | None) -> str:
        """The sender of a signal, as a sentence begins with it: by name; its arguments are a private fact."""
        if got is None or got.sender_pid is None:
            return ""
        if got.itself:
            return "The program itself"
        if got.sender_pid == 0:
            return "A process outside this container"
        if got.sender_pid in self.program.family:
            return f"Its own process {got.sender_pid}"
        line = lineage(got.ancestors)
        parents = f", started by {line}" if line else ""
        words = got.sender.split(" ")
        script = [word for word in words[1:2] if word.endswith((".py", ".sh"))]
        names = [name_of(got.sender), *(word.rpartition("/")[2] for word in script)]
        command = known(got.sender) or " ".join(names) or "a process that is gone"
        return f"Process {got.sender_pid} ({command[:80]}{parents})"

    def facts_of_sender(self, got: Received | None) -> tuple[Fact, ...]:
        """What is known about the sender of a signal."""
        if got is None:
            return ()
        if got.sender_pid is None:
            return (Fact("sent by", kernel_words(got.signal), "siginfo"),)
        if got.itself:
            return (Fact("sent by", "the program itself", "siginfo"),)
        if got.sender_pid == 0:
            return (Fact("sent by", "a process outside this container", "siginfo: sender 0"),)
        user = f" (user {got.sender_user or got.sender_uid})" if got.sender_uid is not None else ""
        line = " ← ".join([f"{got.sender_pid} {got.sender}{user}", *got.ancestors])
        return (Fact("sent by", line[:300], "siginfo and /proc/PID/cmdline", private=True),)

    def facts_of_waiting(self, *threads: Waiting) -> tuple[Fact, ...]:
        """Where threads stand, what they wait for, and what they hold."""
        found: list[Fact] = []
        for thread in threads:
            worker = f" of process {thread.pid}" if thread.pid != self.program.pid else ""
            name = f"{thread.stack.thread}{worker}"
            at = f" at {thread.place}" if thread.place is not None else ""
            source = "its stack" + (f"; the kernel: {thread.call}" if thread.call else "")
            found.append(Fact(name, f"waits for {thread.what}{at}", source))
            found += [
                Fact(f"{name} holds", f"`{held.name}`, taken at {held.place}", "its source code")
                for held in thread.holds
            ]
        if self.standstill is not None:
            still = round(self.standstill.seconds, 1)
            found.append(Fact("time without progress", still, "CPU time and bytes moved, /proc"))
        return tuple(found)

    def because(self, *names: str) -> tuple[Fact, ...]:
        """Those of the named facts that are known."""
        return tuple(self.facts[name] for name in names if name in self.facts)
