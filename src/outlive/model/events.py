"""The nouns of an observation: samples, cgroups, stacks, exceptions, signals, crashes. Frozen and picklable."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise

from outlive.model.crash import Site
from outlive.model.findings import Confidence, Place, Value
from outlive.model.patterns import bounded, has_word
from outlive.model.quick_dataclass import dataclass
from outlive.model.ranks.membership import Membership

#: The kernel kills when a charge does not fit; the last reading is up to a tenth of a second older.
NEARLY_FULL = 0.95

#: faulthandler writes the innermost hundred frames; a recursion that overflows the stack fills most of them.
FRAMES_OF_A_DUMP = 100
RECURSION_FRAMES = 30

#: ``{{function_node __wrapped__SaveV2…}} `` before the text of an error.
NODE = bounded(r"\{\{\w+ [^}]*\}\}\s*")

#: A statement that is nothing but a call: ``fail(error)``.
BARE_CALL = bounded(r"[\w.]+\(", most=200)

#: A statement that raises, also behind a colon or a semicolon; and what hands an exception of somebody else's on.
RAISES = bounded(r"(?:^|[:;])\s*(?:raise|assert)\b")

#: The modules whose threads run what a pool was given, in `run` of the one and `worker` of the other.
POOL_THREADS = ("/concurrent/futures/thread.py", "/multiprocessing/pool.py")

#: TensorFlow generates one Python function per operation, in modules of this name.
GENERATED_OPERATIONS = bounded(r"/tensorflow/python/ops/gen_\w+_ops\.py$")


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
    used_bytes: int | None = None  #: of the cgroup that is nearest to its limit
    limit_bytes: int | None = None
    available_bytes: int | None = None  #: of the machine
    gpu_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """What a watch said while the program ran."""

    slug: str
    says: str
    at: float  #: seconds since the start
    facts: tuple[tuple[str, Value, str], ...] = ()
    remedies: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A memory cgroup, before and after the death. ``None`` is "could not be read", never zero."""

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


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the program has saved, or has read."""

    path: str
    by: str = (
        ""  #: who saved it: TensorFlow, Keras, its BackupAndRestore, a callback of the program's
    )
    at: float | None = None  #: seconds since the start


@dataclass(frozen=True, slots=True)
class Saving:
    """What is known of a program's checkpoints."""

    asks: tuple[str, ...] = ()  #: how it is told of memory that runs out, and can save
    handled: bool = False  #: a callback that was told so has come to its end
    saved: tuple[Checkpoint, ...] = ()  #: to the end, oldest first
    restored: tuple[Checkpoint, ...] = ()  #: likewise


@dataclass(frozen=True, slots=True)
class Moment:
    """What the program was doing at one time."""

    at: float  #: seconds since the start
    place: Place | None  #: the user's line that ran
    rss_bytes: int | None = None


class Origin(enum.Enum):
    """Where an exception ended up."""

    MAIN = "main"  #: uncaught in the main thread: it ended the program
    THREAD = "thread"  #: uncaught in another thread: the program went on
    FUTURE = "future"  #: stored in a future
    WORKER = "worker"  #: ended a multiprocessing worker
    LOGGED = "logged"  #: caught by a thread, which logged something and went on
    CELL = "cell"  #: ended a cell of a notebook: the kernel went on


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
    errno: int | None = None  #: of an error of the system
    file: str = ""  #: that an error of the system or of an import names
    module: str = ""  #: that could not be imported
    members: tuple[str, ...] = ()  #: of an ExceptionGroup, as type and text
    cause: Thrown | None = None  #: ``raise … from`` or "during handling of"
    seen: bool = False  #: the program asked for it: ``result()``, ``exception()``, ``exitcode``
    explicit: bool = False  #: the cause was named by ``raise … from``
    depth: int | None = None  #: how many frames a RecursionError passed through
    left: bool = False  #: the handler that caught it ends by leaving its function

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code: in the worker or task that it came from, else here, else in the cause."""
        handed_on = self.cause is not None and (
            self.cause.type.endswith("RemoteTraceback") or self.is_a("BaseExceptionGroup")
        )
        if handed_on and self.cause is not None and self.cause.own:
            return self.cause.own
        here = next((frame for frame in self.frames if frame.own), None)
        return here or (self.cause.own if self.cause else None)

    @property
    def words(self) -> str:
        """Its type and text, short, without the name of the graph's node that TensorFlow puts first."""
        text = NODE.sub("", self.message).strip()
        return f"{self.type.rpartition('.')[2]}: {text[:240]}" if text else self.type

    @property
    def raised_by_program(self) -> bool:
        """Whether the user's own code raised it by a ``raise`` or ``assert``: then its type and its words are the program's, and prove nothing.

        Of a line that cannot be read nobody can tell.
        """
        inner = self.frames[0] if self.frames else None
        return (
            inner is not None and inner.own and (not inner.code or bool(RAISES.search(inner.code)))
        )

    @property
    def through_pool(self) -> bool:
        """Whether a thread of a pool had raised it, and another one got it as the result and raised it again."""
        runners = (
            index
            for index, frame in enumerate(self.frames)
            if frame.file.endswith(POOL_THREADS) and frame.function in ("run", "worker")
        )
        return next(runners, len(self.frames)) + 1 < len(self.frames)

    @property
    def raised_again(self) -> bool:
        """Whether it had been stored, and a line raised it that did not call what had failed: perhaps of another thread."""
        return self.through_pool or any(
            outer.own
            and RAISES.search(outer.code)
            and not inner.function.startswith("__")
            and not has_word(outer.code, inner.function)
            for inner, outer in pairwise(self.frames)
        )

    def is_a(self, *names: str) -> bool:
        """Whether the exception is of one of these classes (bare names) or derives from one."""
        lineage = {self.type, *self.bases}
        return any(name.rpartition(".")[2] in names for name in lineage)

    def chain(self) -> tuple[Thrown, ...]:
        """This exception, then what caused it, and so on."""
        return (self, *(self.cause.chain() if self.cause else ()))

    def passed_on(self) -> tuple[Thrown, ...]:
        """This exception, and those that it only hands on: raised ``from`` them, or by the very function that caught them.

        An exception that happened to be handled while another came up is not among them: a program that finds no cached
        file, builds one and fails at that did not fail for want of the file.
        """
        cause = self.cause
        if cause is None:
            return (self,)
        raised, caught = self.frames[:1], cause.frames[-1:]
        by_its_handler = [(place.file, place.function) for place in raised] == [
            (place.file, place.function) for place in caught
        ]
        if self.explicit or by_its_handler:
            return (self, *cause.passed_on())
        return (self,)


@dataclass(frozen=True, slots=True)
class Received:
    """A signal that reached the program (or its supervisor), and who sent it."""

    signal: str
    #: None: the kernel (a terminal, a timer, a limit, a fault); 0: a process outside the container
    sender_pid: int | None = None
    sender: str = ""  #: command line of the sender, when it could still be read
    sender_uid: int | None = None
    sender_user: str = ""  #: the name of that user, where it has one
    ancestors: tuple[str, ...] = ()  #: names of the sender's parents, nearest first
    at: float | None = None
    pid: int = 0  #: who received it
    itself: bool = False  #: the program sent it to itself
    address: int | None = None  #: of the fault, for SIGSEGV and its kin
    thread: str = ""  #: the kernel's name of the thread that received it
    site: Site | None = None  #: where in native code, for SIGSEGV and its kin

    @property
    def from_process(self) -> bool:
        """Whether a process sent it, be it the program itself."""
        return self.sender_pid is not None

    @property
    def from_another(self) -> bool:
        """Whether another process sent it."""
        return self.sender_pid is not None and not self.itself


@dataclass(frozen=True, slots=True)
class Quit:
    """The program asked to end: ``sys.exit``, ``os._exit``."""

    call: str
    code: Value
    frames: tuple[Place, ...] = ()
    pid: int = 0
    at: float | None = None
    handling: Thrown | None = None  #: the exception that was being handled
    lost: tuple[tuple[str, int], ...] = ()  #: files, with the bytes that each still held back
    threads: tuple[Stack, ...] = ()  #: other threads that were at work

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), None)

    @property
    def words(self) -> str:
        """What it was busy with, for the middle of a sentence."""
        return f" while handling {self.handling.type.rpartition('.')[2]}" if self.handling else ""

    @property
    def status(self) -> int:
        """The exit status that this call leads to."""
        if isinstance(self.code, int):
            return self.code & 0xFF
        return 0 if self.code is None else 1

    @property
    def left_for(self) -> Thrown | None:
        """The exception that was being handled, if its handler is what left: by itself, or through a function that it called for nothing else.

        A handler that goes on with other work (``data = rebuild()``) may meet another reason to leave there.
        """
        error = self.handling
        own = [frame for frame in self.frames if frame.own]
        caught = [frame for frame in error.frames if frame.own][-1:] if error is not None else []
        if error is None or not own or not caught:
            return error
        handler = (caught[0].file, caught[0].function)
        if (own[0].file, own[0].function) == handler:
            return error
        through = len(own) > 1 and (own[1].file, own[1].function) == handler
        return error if through and BARE_CALL.match(own[1].code) else None

    def follows(self, shown: Thrown) -> bool:
        """Whether it was called by the function that had caught an exception, or on the line that called that function.

        The outermost frame of a traceback is where the exception was caught.
        """
        caught = shown.frames[-1:]
        for place in caught:
            running = any((f.file, f.function) == (place.file, place.function) for f in self.frames)
            line = self.own.code if self.own is not None else ""
            if running or has_word(line, place.function, "("):
                return True
        return False

    def in_library(self, name: str) -> bool:
        """Whether it was called from a module of this package of the standard library."""
        return bool(self.frames) and not self.frames[0].own and f"/{name}/" in self.frames[0].file


@dataclass(frozen=True, slots=True)
class ChildDeath:
    """A worker or subprocess that ended badly, as its parent saw it."""

    pid: int
    signal: str | None
    exit_code: int | None
    name: str = ""
    at: float | None = None
    asked: bool = False  #: its own parent sent the signal
    started: Place | None = None  #: the user's line that started it


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the program did to what another thread may be using: it closed a session, cancelled a future."""

    kind: str  #: ``closed`` or ``cancelled``
    what: str
    thread: str
    frames: tuple[Place, ...] = ()
    pid: int = 0
    at: float | None = None

    @property
    def own(self) -> Place | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), None)


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


#: The signals of the kernel's interval timers, by number.
TIMER_SIGNALS = ("SIGALRM", "SIGVTALRM", "SIGPROF")


@dataclass(frozen=True, slots=True)
class TimerSet:
    """The program set a timer, or cancelled it (with no seconds)."""

    which: int  #: as ``signal.ITIMER_REAL`` and so on
    seconds: float
    pid: int
    frames: tuple[Place, ...] = ()

    @property
    def signal(self) -> str:
        """What it sends when the time is up."""
        return TIMER_SIGNALS[self.which] if 0 <= self.which < len(TIMER_SIGNALS) else ""

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

    @property
    def begins_outside_a_module(self) -> bool:
        """Whether the crashing thread's stack begins in a function: no line of a module had called it, and no thread was started for it.

        Python itself calls functions only when it ends: those of ``atexit``, and the ``__del__`` of what it clears away.
        """
        frames = self.stacks[0].frames if self.stacks and self.crashing_is_python else ()
        if not frames or len(frames) >= FRAMES_OF_A_DUMP:
            return False
        first = frames[-1]
        begins = (first.function, first.file.rpartition("/")[2])
        return begins[0] not in ("<module>", "_run_module_as_main") and begins[1] != "threading.py"

    def stack_in(self, *packages: str) -> Stack | None:
        """The stack that stood in one of these packages: the crashing thread's, or, when a thread that Python does not know
        crashed (TensorFlow's own pool), the one that waits for it."""
        candidates = self.stacks[:1] if self.crashing_is_python else self.stacks
        return next((stack for stack in candidates if stack.package in packages), None)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook that the kernel was asked to run."""

    count: int | None  #: the n of ``In [n]``
    code: str
    id: str = ""  #: of the request
    at: float | None = None
    done: bool = True  #: the kernel has answered
    silent: bool = False  #: the front end's own request, no cell that a person wrote
    error: Thrown | None = None  #: what it raised
    cell: str = ""  #: the front end's name of it, which stays when it is run again

    @property
    def name(self) -> str:
        """As a notebook shows it."""
        return f"In [{self.count}]"

    @property
    def lines(self) -> list[str]:
        """Its text, line by line."""
        return self.code.split("\n")


@dataclass(frozen=True, slots=True)
class OomLine:
    """What the kernel log says about one kill."""

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
class WorkerKill:
    """The conclusion that the kernel killed workers of the program for want of memory."""

    confidence: Confidence
    count: int
    lines: tuple[OomLine, ...] = ()  #: of the kernel log
    deaths: tuple[ChildDeath, ...] = ()  #: as the parent saw them


@dataclass(frozen=True, slots=True)
class Program:
    """The program that was run: its command, where, and with which Python."""

    command: tuple[str, ...] = ()
    folder: str = ""
    pid: int = 0
    python: str = ""  #: version of the Python inside; empty when none was seen
    notebook: str = ""  #: of a kernel: the path of its notebook, if it was told
    shell: bool = False  #: the command is a shell, whose status 128+n speaks of its child
    own_pids: frozenset[int] = (
        frozenset()
    )  #: the process that was started and, behind a shell, the Python it led to
    family: frozenset[int] = frozenset()  #: every descendant that was seen
    finished: bool = False  #: its Python shut down in good order (atexit ran)
    on_terminal: bool = False  #: it had a controlling terminal
    alone: bool = True  #: the Python is the process that was started, not one behind a shell
    left_at: float | None = None  #: when its atexit functions had run, in seconds since the start
    member: Membership | None = None  #: the rank of a job that it is
    scheduler: Mapping[str, str] = field(
        default_factory=dict
    )  #: variables of a batch system or an orchestrator; the value is kept for numbers of jobs only
