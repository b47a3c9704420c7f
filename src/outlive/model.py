"""The nouns: what was observed, what is concluded, and how sure we are.

Everything here is frozen and picklable, so that evidence can be stored, replayed, and judged on another machine. Standard
library only: nothing in this file may know where a value came from beyond the ``source`` it carries.
"""

from __future__ import annotations

import enum
import signal as signals
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Value = str | int | float | bool | None


class Confidence(enum.IntEnum):
    """How much the evidence forces the conclusion. Compared with ``max()``."""

    POSSIBLE = 1  #: fits, and so do other explanations
    LIKELY = 2  #: fits better than anything else we know
    PROVEN = 3  #: no other known cause leaves this trace


class EndingKind(enum.Enum):
    """How a run ended, as the one who waits for it sees it."""

    SIGNAL = "signal"
    EXIT = "exit"
    EXCEPTION = "exception"
    HANG = "hang"
    SUCCESS = "success"


class EndedBy(enum.Enum):
    """Who ended it."""

    KERNEL_OOM = "kernel-oom"
    PROCESS = "process"
    ITSELF = "itself"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """One observation, and where it was read."""

    name: str
    value: Value
    source: str
    private: bool = False  #: masked in every report meant to be shared


@dataclass(frozen=True, slots=True)
class Place:
    """A line of source code."""

    file: str
    line: int
    function: str = ""
    code: str = ""  #: the text of the line, when the file could be read
    own: bool = True  #: the user's own code, not a library's

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Ending:
    """How the program ended."""

    kind: EndingKind
    signal: str | None = None
    exit_code: int | None = None
    by: EndedBy = EndedBy.UNKNOWN
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading of the living program, by the half that survives it."""

    at: float  #: seconds since the start
    rss_bytes: int  #: the program alone
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
    refusals_before: int | None = None  #: times the limit was hit (failcnt, events:max)
    refusals_after: int | None = None
    vanished: int | None = None  #: processes of the group that ended together with the program

    @property
    def killed(self) -> int | None:
        """How many processes the kernel killed in this group at the time of the death."""
        if self.oom_kills_before is None or self.oom_kills_after is None:
            return None
        return self.oom_kills_after - self.oom_kills_before


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
        """The innermost line of the user's own code; in the cause if there is none here."""
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
class Crash:
    """The last words of a fatal signal, written by the handler inside the program."""

    headline: str  #: as ``Fatal Python error: Segmentation fault``
    stacks: tuple[Stack, ...]  #: the crashing thread first, when it has Python frames
    crashing_is_python: bool = True  #: False: the crash was in a thread that Python does not know
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """The line that was running while memory grew."""

    place: Place
    share: float  #: of all growth that was seen
    grown_bytes: int
    seconds: float
    innermost: Place | None = None  #: the most frequent innermost own line beneath it


@dataclass(frozen=True, slots=True)
class OomLine:
    """What the kernel's log says about one kill."""

    pid: int
    whole_machine: bool
    group: str = ""  #: whose limit was reached
    text: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """What was run."""

    command: tuple[str, ...] = ()
    folder: str = ""
    pid: int = 0
    python: str = ""  #: version of the Python inside; empty when none was seen
    shell: bool = False  #: the command is a shell, whose status 128+n speaks of its child
    pids: frozenset[int] = frozenset()  #: every Python process that left a record


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
    children: tuple[ChildDeath, ...] = ()
    crash: Crash | None = None
    growth: Growth | None = None
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

    def because(self, *names: str) -> tuple[Fact, ...]:
        """Those of the named facts that are known."""
        return tuple(self.facts[name] for name in names if name in self.facts)


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing that the reader can do now."""

    text: str
    commands: tuple[str, ...] = ()
    safe: bool = False  #: may be applied without asking


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, why we believe it, and what to do about it."""

    says: str
    because: tuple[Fact, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    remedies: tuple[Remedy, ...] = ()
    where: Place | None = None
    by: EndedBy | None = None  #: what this finding knows about who ended the program
    slug: str = ""  #: written by the engine, never by the unit


@dataclass(frozen=True, slots=True)
class UnitFailure:
    """A unit broke; reported beside the findings, hiding nobody else's."""

    slug: str
    error: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ranked answer, together with what could not be known."""

    run: str
    ending: Ending
    findings: Sequence[Finding] = ()
    gaps: Mapping[str, str] = field(default_factory=dict)
    failures: Sequence[UnitFailure] = ()

    @property
    def cause(self) -> Finding | None:
        """The best explanation, or ``None``: not knowing is an answer."""
        return self.findings[0] if self.findings else None


def size(count: float) -> str:
    """Bytes as a person reads them: ``1.4 GB``. Decimal units, as limits and disks are sold."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(count) >= step:
            return (
                f"{count / step:.1f} {unit}"
                if abs(count) < 100 * step
                else f"{count / step:.0f} {unit}"
            )
    return f"{count:.0f} bytes"
