"""View: all that is known about one run; what causes are asked of.

Frozen and picklable, so that it can be stored, replayed, and judged on another machine. A question that two causes ask of the
evidence is answered here, never in one of them.
"""

from __future__ import annotations

import enum
import math
import re
import signal as signals
from collections.abc import Mapping
from dataclasses import dataclass, field

from outlive.model import Confidence, Ending, EndingKind, Fact, Place, Value

#: The kernel kills when a charge does not fit; the last reading is up to a tenth of a second older.
NEARLY_FULL = 0.95

#: /proc counts CPU time in ticks and after the fact.
CPU_CLOCK_SLACK_SECONDS = 0.5

#: A stage that may hold this share of the limit is no passenger.
LARGE_STAGE = 0.4

#: faulthandler writes the innermost hundred frames; a recursion that overflows the stack fills most of them.
RECURSION_FRAMES = 30

#: TensorFlow generates one Python function per operation, in modules of this name.
GENERATED_OPERATIONS = re.compile(r"/tensorflow/python/ops/gen_\w+_ops\.py$")

BINARY_UNITS = {
    "bytes": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "PiB": 1 << 50,
    "EiB": 1 << 60,
}
NUMPY_REFUSAL = re.compile(
    r"Unable to allocate ([\d.]+) (bytes|[KMGTPE]iB) for an array with shape (\(.*?\)) and data type (\S+)"
)
#: TensorFlow uses one error for memory, full disks and open files; only its words tell them apart.
MEMORY_WORDS = re.compile(r"\bOOM\b|allocat|out of memory|insufficient memory", re.IGNORECASE)
TENSORFLOW_REFUSAL = re.compile(r"allocating tensor with shape\[([\d,]*)\] and type (\w+)")
TENSORFLOW_TYPE_BYTES = {
    "float": 4,
    "double": 8,
    "half": 2,
    "bfloat16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "complex64": 8,
    "complex128": 16,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading of the living program, by the half that survives it."""

    at: float  #: seconds since the start
    rss_bytes: int  #: the program alone
    vm_bytes: int  #: its address space
    tree_rss_bytes: int  #: with its descendants
    processes: int = 1
    threads: int | None = None
    open_files: int | None = None
    cpu_seconds: float = 0.0
    used_bytes: int | None = None  #: of the control group that is nearest to its limit
    limit_bytes: int | None = None
    available_bytes: int | None = None  #: of the machine
    gpu_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A memory control group, before and after the death. ``None`` is "could not be read", never zero."""

    path: str
    version: int
    limit_bytes: int | None
    used_bytes: int | None  #: last reading while the program lived
    oom_kills_before: int | None  #: last reading that is certainly older than the death
    oom_kills_after: int | None
    oom_kills_at_start: int | None = None  #: before the program was started
    refusals_before: int | None = None  #: times the limit was hit (failcnt, events:max)
    refusals_after: int | None = None
    vanished: int | None = None  #: processes of the group that ended together with the program

    @property
    def killed(self) -> int | None:
        """How many processes the kernel killed in this group at the time of the death."""
        if self.oom_kills_before is None or self.oom_kills_after is None:
            return None
        return self.oom_kills_after - self.oom_kills_before

    @property
    def killed_during_run(self) -> int | None:
        """How many processes the kernel killed in this group since the program was started."""
        if self.oom_kills_at_start is None or self.oom_kills_after is None:
            return None
        return self.oom_kills_after - self.oom_kills_at_start

    @property
    def full(self) -> bool:
        """Whether the limit was met at the time of the death: use next to it, or allocations that it refused."""
        if not self.limit_bytes:
            return False
        refused = (
            self.refusals_before is not None
            and self.refusals_after is not None
            and self.refusals_after > self.refusals_before
        )
        near = self.used_bytes is not None and self.used_bytes >= NEARLY_FULL * self.limit_bytes
        return refused or near


@dataclass(frozen=True, slots=True)
class Stack:
    """Where one thread was at one moment, innermost frame first."""

    thread: str
    frames: tuple[Place, ...]
    at: float | None = None  #: seconds since the start
    main: bool = False
    pid: int = 0

    @property
    def own(self) -> Place | None:
        """The innermost line that is the user's own."""
        return next((frame for frame in self.frames if frame.own), None)

    @property
    def package(self) -> str:
        """The installed package that the innermost frame lies in, or nothing."""
        return self.frames[0].package if self.frames else ""

    @property
    def tensorflow_operation(self) -> str | None:
        """The operation that TensorFlow was asked for: its generated wrappers are named like it."""
        for frame in self.frames:
            if GENERATED_OPERATIONS.search(frame.file):
                return frame.function.removesuffix("_eager_fallback")
        return None


class Origin(enum.Enum):
    """Where an exception ended up."""

    MAIN = "main"  #: uncaught in the main thread: it ended the program
    THREAD = "thread"  #: uncaught in another thread: the program went on
    FUTURE = "future"  #: stored in a future
    WORKER = "worker"  #: ended a multiprocessing worker


@dataclass(frozen=True, slots=True)
class Thrown:
    """One exception: its type, text and the way it came, innermost frame first."""

    type: str
    message: str
    frames: tuple[Place, ...] = ()
    origin: Origin = Origin.MAIN
    thread: str = ""
    pid: int = 0
    at: float | None = None
    notes: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  #: names of the classes it derives from
    cause: Thrown | None = None  #: ``raise … from`` or "during handling of"

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code: in the worker that it came from, else here, else in the cause."""
        if (
            self.cause is not None
            and self.cause.type.endswith("RemoteTraceback")
            and self.cause.own
        ):
            return self.cause.own
        here = next((frame for frame in self.frames if frame.own), None)
        return here or (self.cause.own if self.cause else None)

    def is_a(self, *names: str) -> bool:
        """Whether the exception is of one of these classes (bare names) or derives from one."""
        lineage = {self.type, *self.bases}
        return any(name.rpartition(".")[2] in names for name in lineage)

    def chain(self) -> tuple[Thrown, ...]:
        """This exception, then what caused it, and so on."""
        return (self, *(self.cause.chain() if self.cause else ()))


@dataclass(frozen=True, slots=True)
class Received:
    """A signal that reached the program (or its supervisor), and who sent it."""

    signal: str
    sender_pid: int | None = None  #: None: the kernel (a terminal, a timer, a limit, a fault)
    sender: str = ""  #: command line of the sender, when it could still be read
    sender_uid: int | None = None
    ancestors: tuple[str, ...] = ()  #: names of the sender's parents, nearest first
    at: float | None = None
    pid: int = 0  #: who received it
    itself: bool = False  #: the program sent it to itself
    address: int | None = None  #: of the fault, for SIGSEGV and its kin


@dataclass(frozen=True, slots=True)
class Quit:
    """The program asked to end: ``sys.exit``, ``os._exit``."""

    call: str
    code: Value
    frames: tuple[Place, ...] = ()
    pid: int = 0
    at: float | None = None

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), None)

    @property
    def status(self) -> int:
        """The exit status that this call leads to."""
        if isinstance(self.code, int):
            return self.code & 0xFF
        return 0 if self.code is None else 1

    def in_library(self, name: str) -> bool:
        """Whether it was called from a module of this package of the standard library."""
        return bool(self.frames) and not self.frames[0].own and f"/{name}/" in self.frames[0].file


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request for memory that was refused, as an error message tells it."""

    text: str
    source: str
    where: Place | None
    bytes: int | None = None
    what: str = ""

    @classmethod
    def in_text(cls, text: str, source: str, where: Place | None) -> Refusal:
        """Read size, shape and dtype out of NumPy's or TensorFlow's words."""
        array = NUMPY_REFUSAL.search(text)
        if array:
            asked = round(float(array[1]) * BINARY_UNITS[array[2]])
            return cls(
                text, source, where, asked, f"an array of shape {array[3]} and type {array[4]}"
            )
        tensor = TENSORFLOW_REFUSAL.search(text)
        if tensor:
            count = math.prod(int(word) for word in tensor[1].split(",") if word.strip().isdigit())
            total = count * TENSORFLOW_TYPE_BYTES.get(tensor[2], 0)
            return cls(
                text,
                source,
                where,
                total or None,
                f"a tensor of shape [{tensor[1]}] and type {tensor[2]}",
            )
        return cls(text, source, where)


@dataclass(frozen=True, slots=True)
class ChildDeath:
    """A worker or subprocess that ended badly, as its parent saw it."""

    pid: int
    signal: str | None
    exit_code: int | None
    name: str = ""
    at: float | None = None
    oom_killed: bool | None = None  #: the kernel's log names it; None: the log could not be read
    asked: bool = False  #: its own parent sent the signal
    started: Place | None = None  #: the user's line that started it


@dataclass(frozen=True, slots=True)
class Sent:
    """A signal that a process of the program sent."""

    signal: str
    target: int
    pid: int
    frames: tuple[Place, ...] = ()
    at: float | None = None

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), None)


@dataclass(frozen=True, slots=True)
class Crash:
    """The last words of a fatal signal, written by the handler inside the program."""

    headline: str  #: as ``Fatal Python error: Segmentation fault``
    stacks: tuple[Stack, ...]  #: the crashing thread first, when it has Python frames
    crashing_is_python: bool = True  #: False: the crash was in a thread that Python does not know
    pid: int = 0

    @property
    def recursion(self) -> Place | None:
        """The line that calls itself over and over in the crashing thread, if there is one."""
        frames = self.stacks[0].frames if self.stacks and self.crashing_is_python else ()
        for frame in frames:
            same = [
                other
                for other in frames
                if (other.file, other.function) == (frame.file, frame.function)
            ]
            if len(same) >= RECURSION_FRAMES and frame.own:
                return max(same, key=lambda place: sum(place == other for other in same))
        return None

    def stack_in(self, *packages: str) -> Stack | None:
        """The stack that stood in one of these packages: the crashing thread's, or, when a thread that Python does not know
        crashed (TensorFlow's own pool), the one that waits for it."""
        candidates = self.stacks[:1] if self.crashing_is_python else self.stacks
        return next((stack for stack in candidates if stack.package in packages), None)


@dataclass(frozen=True, slots=True)
class Growth:
    """The line that was running while memory grew."""

    place: Place
    share: float  #: of all growth that was seen
    grown_bytes: int
    seconds: float
    innermost: Place | None = None  #: the most frequent innermost own line beneath it


@dataclass(frozen=True, slots=True)
class Holder:
    """A container of the user's code that held memory when it was in danger."""

    name: str  #: as the code says it: ``album``, ``self.parts``, ``state["history"]``
    kind: str  #: list, dict, deque, set, tuple, lru_cache
    length: int
    bytes: int
    holds: str = ""  #: what its elements are
    first_length: int = 0  #: at the first look, to see whether it grows
    looks: int = 1
    scope: str = ""  #: the function or class that it belongs to
    feeds: Place | None = None  #: the line that puts things into it
    share: float = 0.0  #: of the memory that is its process's own

    @property
    def grew(self) -> bool:
        """Whether it was larger at the last look than at the first."""
        return self.looks > 1 and self.length > self.first_length


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a tf.data pipeline that holds elements in memory."""

    kind: str  #: shuffle, prefetch, cache, map, interleave
    place: Place | None  #: the user's line that built it
    buffer: int  #: elements it may hold; negative: TensorFlow decides, or all of them
    elements: int | None = None  #: in the whole data set, when that is known
    element_bytes: int | None = None
    pid: int = 0

    @property
    def holds(self) -> int | None:
        """How many elements it holds at most."""
        known = [
            count for count in (self.buffer, self.elements) if count is not None and count >= 0
        ]
        return min(known) if known else None

    @property
    def bytes(self) -> int | None:
        """How much it holds at most."""
        if self.element_bytes is None or self.holds is None:
            return None
        return self.element_bytes * self.holds


@dataclass(frozen=True, slots=True)
class Traced:
    """A function of the user's that TensorFlow traced more than once."""

    name: str
    count: int
    first_count: int  #: at the first look
    place: Place  #: where it is defined


@dataclass(frozen=True, slots=True)
class OomLine:
    """What the kernel's log says about one kill."""

    pid: int
    whole_machine: bool
    group: str = ""  #: whose limit was reached
    text: str = ""


@dataclass(frozen=True, slots=True)
class OomKill:
    """The conclusion that the kernel killed the program for want of memory."""

    confidence: Confidence
    whole_machine: bool
    group: Group | None = None  #: the one whose limit was reached
    line: OomLine | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """What was run."""

    command: tuple[str, ...] = ()
    folder: str = ""
    pid: int = 0
    python: str = ""  #: version of the Python inside; empty when none was seen
    shell: bool = False  #: the command is a shell, whose status 128+n speaks of its child
    own_pids: frozenset[int] = (
        frozenset()
    )  #: the process that was started and, behind a shell, the Python it led to
    family: frozenset[int] = frozenset()  #: every descendant that was seen
    finished: bool = False  #: its Python shut down in good order (atexit ran)
    on_terminal: bool = False  #: it had a controlling terminal
    alone: bool = True  #: the Python is the process that was started, not one behind a shell


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
    signals: tuple[Received, ...] = ()
    sent: tuple[Sent, ...] = ()
    children: tuple[ChildDeath, ...] = ()
    crash: Crash | None = None
    growths: Mapping[int, Growth] = field(default_factory=dict)  #: by process
    holders: Mapping[int, tuple[Holder, ...]] = field(
        default_factory=dict
    )  #: by process, largest first
    traced: Mapping[int, tuple[Traced, ...]] = field(
        default_factory=dict
    )  #: by process, the most traced first
    stages: tuple[Stage, ...] = ()
    log: str = ""

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

    def overfull_stage(self, kind: str) -> Stage | None:
        """The stage of this kind that may hold a large part of the memory that ran out."""
        if self.oom_kill() is None and self.refused_memory() is None:
            return None
        limit = self.fact("memory limit") or self.fact("machine memory")
        mine = [
            stage
            for stage in self.stages
            if stage.kind == kind and stage.pid == self.program.pid and stage.bytes
        ]
        largest = max(mine, key=lambda stage: stage.bytes or 0, default=None)
        if largest is None or not isinstance(limit, int):
            return None
        return largest if (largest.bytes or 0) >= LARGE_STAGE * limit else None

    def facts_of_stage(self, stage: Stage) -> tuple[Fact, ...]:
        """What is known about a stage that held too much."""
        source = "the pipeline as it was built"
        return (
            Fact("elements it may hold", stage.holds, source),
            Fact("size of one element, bytes", stage.element_bytes, source),
            Fact("memory it may hold", stage.bytes, source),
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

    def refused_memory(self) -> Refusal | None:
        """The request for memory whose refusal ended the program."""
        error = self.uncaught
        for thrown in error.chain() if error is not None and self.failed else ():
            if thrown.is_a("MemoryError") or (
                thrown.is_a("ResourceExhaustedError") and MEMORY_WORDS.search(thrown.message)
            ):
                return Refusal.in_text(thrown.message or thrown.type, "exception", thrown.own)
        if self.fatal_signal == "SIGABRT" and "std::bad_alloc" in self.log:
            return Refusal.in_text("std::bad_alloc", "stderr", self.crash_line)
        return None

    def faulted(self, *names: str) -> bool:
        """Whether the program ended by one of these signals because of what it did, not because somebody sent it."""
        if self.fatal_signal not in names:
            return False
        got = self.sender_of(self.fatal_signal)
        return got is None or got.sender_pid is None or got.itself

    @property
    def crash_line(self) -> Place | None:
        """The user's line in the crashing thread, or else in any thread at the crash."""
        stacks = self.crash.stacks if self.crash else ()
        return next((place for stack in stacks if (place := stack.own)), None)

    def words_for_sender(self, got: Received | None) -> str:
        """The sender of a signal, as a sentence begins with it: by name; its arguments are a private fact."""
        if got is None or got.sender_pid is None:
            return ""
        parents = f", started by {got.ancestors[0]}" if got.ancestors else ""
        words = got.sender.split(" ")
        names = [words[0], *(word for word in words[1:2] if word.endswith((".py", ".sh")))]
        command = " ".join(name.rpartition("/")[2] for name in names) or "a process that is gone"
        return f"Process {got.sender_pid} ({command[:80]}{parents})"

    def facts_of_sender(self, got: Received | None) -> tuple[Fact, ...]:
        """What is known about the sender of a signal."""
        if got is None:
            return ()
        if got.sender_pid is None:
            return (Fact("sent by", "the kernel (a terminal, a timer or a limit)", "siginfo"),)
        line = " ← ".join([f"{got.sender_pid} {got.sender}", *got.ancestors])
        return (Fact("sent by", line[:300], "siginfo and /proc/PID/cmdline", private=True),)

    def because(self, *names: str) -> tuple[Fact, ...]:
        """Those of the named facts that are known."""
        return tuple(self.facts[name] for name in names if name in self.facts)
