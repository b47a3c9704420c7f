"""The nouns of a program that stands still: what each thread waits for, who holds it, and where the chain of waiting ends. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field

from outlive.model.events import Stack
from outlive.model.findings import Place
from outlive.model.quick_dataclass import dataclass


class Wait(enum.Enum):
    """What a thread waits for, as a sentence goes on after "waits for"."""

    LOCK = "a lock"
    CONDITION = "a notification"
    EVENT = "an event to be set"
    SEMAPHORE = "a semaphore"
    BARRIER = "the others at a barrier"
    ITEM = "an item of a queue"
    ROOM = "space in a queue"
    TASKS_DONE = "all items of a queue to be marked as done"
    THREAD = "a thread to end"
    FUTURE = "the result of a task"
    PROCESS = "a process to end"
    WORKERS = "the result of a worker process"
    TENSORFLOW = "TensorFlow"
    TASKS = "one of its tasks, and nothing will wake any of them"
    READER = "another process to read from a full pipe"
    WRITER = "another process to write to, or close, the pipe it reads"
    NATIVE = "a native call that holds the interpreter"
    CALLBACK = "native code that runs a Python callback in another thread"
    UNKNOWN = "something that could not be determined"
    # What comes from outside, or by itself: waiting for it is no fault.
    SLEEP = "the end of a sleep"
    INPUT = "input from the terminal or stdin"
    CONNECTION = "a connection or data from the network"
    EVENTS = "the next event of its loop"
    PIPE = "data from a pipe"
    SUBPROCESS = "another program to end"
    FILE = "a file or its lock"
    SIGNAL = "a signal"
    STOPPED = "a SIGCONT signal (it was stopped)"
    WORK = "work (an idle worker)"
    RUNNING = "nothing (it is running)"


#: Nobody in the program need do anything for these to end.
FROM_OUTSIDE = frozenset(
    {
        Wait.SLEEP, Wait.INPUT, Wait.CONNECTION, Wait.EVENTS, Wait.PIPE, Wait.SUBPROCESS, Wait.FILE, Wait.SIGNAL,
        Wait.STOPPED, Wait.RUNNING,
    }
)  # fmt: skip

#: TensorFlow calls Python functions of the program's in threads of its own, through these.
CALLED_BY_TENSORFLOW = ("tensorflow/python/ops/script_ops.py", "data/ops/from_generator_op.py")


#: Where a thread that Python has started begins, and so many frames of a stack are recorded.
BEGINNINGS = ("_bootstrap",)
MOST_FRAMES = 50


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a thread can wait for, with its state when it was looked at."""

    kind: str
    id: int
    locked: bool | None = None
    owner: int | None = None  #: the thread that holds it, where the lock itself knows
    target: int | None = None  #: the thread or the process that it stands for
    size: int | None = None
    limit: int | None = None
    unfinished: int | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A lock that a thread holds, as its code calls it, and the line that took it."""

    name: str
    place: Place
    thing: Thing | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thread that does not move."""

    stack: Stack
    wait: Wait
    ident: int = 0
    name: str = ""  #: of what it waits for, as the code calls it
    thing: Thing | None = None
    timed: bool = False  #: it waits with a timeout, so it will go on
    holds: tuple[Held, ...] = ()
    daemon: bool = False
    call: str = ""  #: the kernel's word for it
    task: bool = False  #: not a thread, but a task of asyncio

    @property
    def pid(self) -> int:
        """The process that the waiting thread belongs to."""
        return self.stack.pid

    @property
    def place(self) -> Place | None:
        """The user's line that waits."""
        return self.stack.own

    @property
    def who(self) -> str:
        """The thread, as a sentence begins with it."""
        if self.task:
            return f"The task {self.stack.thread}"
        if self.called_by_native_code:
            return f"A thread of native code ({self.stack.thread})"
        return "The main thread" if self.stack.main else f"The thread {self.stack.thread}"

    @property
    def what(self) -> str:
        """What it waits for, for the middle of a sentence."""
        if self.wait is Wait.UNKNOWN and self.call:
            return f"{self.wait.value} (Linux: {self.call})"
        if not self.name:
            return self.wait.value
        words = {
            Wait.LOCK: f"the lock `{self.name}`",
            Wait.CONDITION: f"a notification of `{self.name}`",
            Wait.EVENT: f"the event `{self.name}` to be set",
            Wait.SEMAPHORE: f"the semaphore `{self.name}`",
            Wait.ITEM: f"an item of the queue `{self.name}`",
            Wait.ROOM: f"space in the queue `{self.name}`",
            Wait.TASKS_DONE: f"all items of the queue `{self.name}` to be marked as done",
            Wait.THREAD: f"the thread `{self.name}` to end",
            Wait.FUTURE: f"the result of `{self.name}`",
            Wait.PROCESS: f"the process `{self.name}` to end",
            Wait.TENSORFLOW: f"TensorFlow's {self.name}",
        }
        return words.get(self.wait, self.wait.value)

    @property
    def state(self) -> str:
        """What is known of the thing, in a few words."""
        thing = self.thing
        if thing is None:
            return ""
        if self.wait is Wait.TASKS_DONE and thing.unfinished is not None:
            return f"{thing.unfinished} are not"
        if self.wait is Wait.ITEM and thing.size == 0:
            return "it is empty"
        if self.wait is Wait.ROOM and thing.size is not None:
            return f"it holds {thing.size}"
        if self.wait is Wait.BARRIER and thing.size is not None:
            return f"{thing.size} of {thing.limit} are there"
        return thing.state.lower()

    @property
    def from_outside(self) -> bool:
        """What it waits for comes from outside or by itself."""
        return self.wait in FROM_OUTSIDE

    @property
    def is_sleeping(self) -> bool:
        """It will wake up by itself."""
        return self.wait is Wait.SLEEP or self.timed

    @property
    def is_vague(self) -> bool:
        """It could not be told what it waits for."""
        return self.wait is Wait.UNKNOWN

    @property
    def holder_is_unknown(self) -> bool:
        """It waits for a lock, and it could not be told who has it."""
        return self.wait is Wait.LOCK and (self.thing is None or self.thing.locked is None)

    @property
    def called_by_tensorflow(self) -> bool:
        """It runs a Python function for TensorFlow."""
        return any(frame.file.endswith(CALLED_BY_TENSORFLOW) for frame in self.stack.frames)

    @property
    def in_its_own_pool(self) -> bool:
        """A task of a pool that waits for another task."""
        return self.wait is Wait.FUTURE and _of_a_pool(self)

    @property
    def at_a_pipe(self) -> bool:
        """It waits for the process at the other end of a pipe."""
        return self.wait in (Wait.READER, Wait.WRITER)

    @property
    def in_tensorflow(self) -> bool:
        """It stands in TensorFlow's code."""
        return bool(self.stack.frames) and self.stack.package in ("tensorflow", "keras", "tf_keras")

    @property
    def called_by_native_code(self) -> bool:
        """Whether native code has made this thread and calls Python in it: it did not begin where Python's own threads do."""
        frames = self.stack.frames
        whole = len(frames) < MOST_FRAMES
        return bool(
            whole
            and frames
            and not (self.stack.main or self.task)
            and frames[-1].function not in BEGINNINGS
        )

    @property
    def in_native_code(self) -> bool:
        """Whether it waits in native code, where Python cannot tell for what."""
        return self.wait is Wait.UNKNOWN and self.call == "futex" and self.place is not None

    @property
    def at_work(self) -> bool:
        """It has begun a piece of work: the user's code is on its stack."""
        return self.place is not None


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that was made by a fork, and what was left behind."""

    parent: int
    threads: int  #: of the parent at that moment, besides the one that forked
    others: tuple[str, ...] = ()  #: those that Python knew, with the line that each stood at


@dataclass(frozen=True, slots=True)
class Standstill:
    """A program that has made no progress for a while."""

    seconds: float
    threads: tuple[Waiting, ...] = ()  #: of all its processes
    pid: int = 0
    cpu_share: float = 0.0
    forked: Mapping[int, Forked] = field(default_factory=dict)
    parents: Mapping[int, int] = field(
        default_factory=dict
    )  #: of the processes that said who theirs is
    working: bool = False  #: it does make progress: somebody asked about a living program
    at: float | None = None
    tasks: Mapping[int, int] = field(
        default_factory=dict
    )  #: threads of each process, as the kernel counts them

    @property
    def main(self) -> Waiting | None:
        """The main thread of the program."""
        return next(
            (thread for thread in self.threads if thread.stack.main and thread.pid == self.pid),
            None,
        )

    def holders(self, waiting: Waiting) -> tuple[Waiting, ...]:
        """The threads that hold the lock that this one waits for."""
        thing = waiting.thing
        if waiting.wait is not Wait.LOCK or thing is None:
            return ()
        shared = thing.kind == "process lock"  # a forked child has it at the same address
        here = [thread for thread in self.threads if shared or thread.pid == waiting.pid]
        if thing.owner is not None:
            return tuple(thread for thread in here if thread.ident == thing.owner)
        return tuple(
            thread
            for thread in here
            if any(held.thing is not None and held.thing.id == thing.id for held in thread.holds)
        )

    def blockers(self, waiting: Waiting) -> tuple[Waiting, ...]:
        """The threads that would have to go on before this one can."""
        thing, here = waiting.thing, [t for t in self.threads if t.pid == waiting.pid]
        others = [thread for thread in here if thread is not waiting]
        if waiting.timed or (waiting.task and waiting.wait is not Wait.LOCK):
            return ()
        if waiting.wait is Wait.LOCK:
            return self.holders(waiting)
        if waiting.wait is Wait.THREAD:
            if thing is not None and thing.target is not None:
                return tuple(thread for thread in others if thread.ident == thing.target)
            return tuple(t for t in others if not t.daemon and not t.stack.main)
        if waiting.wait is Wait.FUTURE:
            working = tuple(t for t in others if t.at_work and _of_a_pool(t))
            # A task that has not begun, and every thread of the pool busy: who waits in one of them waits for itself.
            starved = _of_a_pool(waiting) and thing is not None and thing.state == "PENDING"
            if starved and not any(t.wait is Wait.WORK for t in others):
                return (waiting, *working)
            return working or self._workers(waiting)
        if waiting.wait is Wait.CALLBACK:
            return tuple(t for t in others if t.at_work and t.called_by_native_code)
        if waiting.wait is Wait.TENSORFLOW:
            return tuple(t for t in others if t.at_work and t.called_by_tensorflow)
        if waiting.wait is Wait.TASKS:
            working = tuple(t for t in others if t.at_work and _of_a_pool(t))
            tasks = tuple(t for t in others if t.task)
            return working or tuple(t for t in tasks if t.wait is not Wait.FUTURE) or tasks
        if waiting.wait in (Wait.READER, Wait.WRITER) and thing is not None:
            return tuple(t for t in self.threads if t.stack.main and t.pid == thing.target)
        if waiting.wait is Wait.SUBPROCESS:
            return tuple(
                t for t in self.threads if t.stack.main and t.pid == self._child_of(waiting)
            )
        if waiting.wait in (Wait.PROCESS, Wait.WORKERS):
            if thing is not None and thing.target is not None:
                return tuple(t for t in self.threads if t.stack.main and t.pid == thing.target)
            return self._workers(waiting)
        return ()

    def _child_of(self, waiting: Waiting) -> int:
        """The program that a thread waits for: the one that it names, or the only one that there is."""
        if waiting.thing is not None and waiting.thing.target is not None:
            return waiting.thing.target
        above = {waiting.pid, self.pid, self.parents.get(waiting.pid, 0)}
        others = {thread.pid for thread in self.threads} - above
        return next(iter(others)) if len(others) == 1 else 0

    def _workers(self, waiting: Waiting) -> tuple[Waiting, ...]:
        """Threads of the processes that this one has started and that have begun some work."""
        return tuple(
            thread
            for thread in self.threads
            if self.parents.get(thread.pid) == waiting.pid
            and thread.at_work
            and thread.wait is not Wait.WORK
        )

    def is_sure(self, cycle: tuple[Waiting, ...]) -> bool:
        """Whether the locks themselves were looked at, not only the names that the code has for them, and nobody stands in native code."""
        return not any(thread.holder_is_unknown or thread.wait is Wait.CALLBACK for thread in cycle)

    def held_in(self, cycle: tuple[Waiting, ...]) -> str:
        """Name what the first of a cycle holds: a lock only where all of them wait for locks."""
        if any(thread.wait is not Wait.LOCK for thread in cycle):
            return "what the next one needs"
        return "the lock the other needs" if len(cycle) == 2 else "the lock the next one needs"

    def cycle(self) -> tuple[Waiting, ...]:
        """Threads each of which waits for the next, and the last for the first; or nothing."""
        for start in sorted(self.threads, key=lambda thread: (not thread.stack.main, thread.pid)):
            found = self._way_back(start, start, ())
            if found:
                return found
        return ()

    def _way_back(
        self, start: Waiting, here: Waiting, way: tuple[Waiting, ...]
    ) -> tuple[Waiting, ...]:
        for following in self.blockers(here):
            if following is start:
                return (*way, here)
            if following not in way and following is not here and len(way) < 12:
                found = self._way_back(start, following, (*way, here))
                if found:
                    return found
        return ()

    def ends(self) -> tuple[Waiting, ...]:
        """Where the main thread's waiting leads: the threads that wait for nobody else's thread."""
        start = self.main
        if start is None:
            return ()
        seen: list[Waiting] = []
        found: list[Waiting] = []
        waiting = [start]
        while waiting:
            thread = waiting.pop()
            if thread in seen:
                continue
            seen.append(thread)
            following = self.blockers(thread)
            waiting += following
            if not following:
                found.append(thread)
        return tuple(sorted(found, key=lambda thread: not thread.stack.main))

    def joined_queue(self) -> tuple[tuple[Waiting, Waiting], ...]:
        """A thread in ``Queue.join``, with one that waits for the next item of the same queue."""
        return tuple(
            (joined, worker)
            for joined in self.threads
            for worker in self.threads
            if joined.wait is Wait.TASKS_DONE
            and worker.wait is Wait.ITEM
            and not (joined.timed or worker.timed)
            and joined.thing is not None
            and worker.thing is not None
            and joined.thing.id == worker.thing.id
        )

    def unreturned(self) -> tuple[Waiting, ...]:
        """Threads that wait for a lock that no thread at work holds."""
        return tuple(
            thread
            for thread in self.threads
            if thread.wait is Wait.LOCK
            and not thread.timed
            and thread.thing is not None
            and thread.thing.locked
            and not any(holder.at_work for holder in self.holders(thread))
        )

    def left_behind(self) -> tuple[Waiting, ...]:
        """Threads of forked children that wait for a thread which only their parent has."""
        unreturned = self.unreturned()
        return tuple(
            thread
            for thread in self.threads
            if thread.pid in self.forked
            and self.forked[thread.pid].threads
            and not thread.timed
            and (
                (thread in unreturned and not self.holders(thread))
                or (thread.in_tensorflow and thread.wait in (Wait.TENSORFLOW, Wait.UNKNOWN))
                or (thread.in_native_code and self._is_alone(thread))
            )
        )

    def _is_alone(self, thread: Waiting) -> bool:
        """Whether its process has no thread but this one and the recorder's, neither of Python's nor of a library's."""
        others = [one for one in self.threads if one.pid == thread.pid and one is not thread]
        return not others and self.tasks.get(thread.pid, 3) <= 2

    def is_lost(self, thread: Waiting) -> bool:
        """Of one that was left behind: whether nothing but the fork explains it, and nobody can ever wake it.

        No other thread of its process is at work. It waits inside TensorFlow, which has not one thread in this process and had some in the
        parent; or for a lock that a thread of the parent holds, which the child does not have.
        """
        others = [one for one in self.threads if one.pid == thread.pid and one is not thread]
        if any(one.wait is not Wait.WORK or one.timed for one in others):
            return False
        if thread.in_native_code and not thread.in_tensorflow:
            return False  # another process may wake it, by memory that the two share
        if thread.wait is not Wait.LOCK:
            known = len(others) + 2  # with this one and the recorder's
            return thread.call == "futex" and self.tasks.get(thread.pid, known + 1) <= known
        return any(self._holds_since_the_fork(one, thread) for one in self.threads)

    def _holds_since_the_fork(self, holder: Waiting, thread: Waiting) -> bool:
        fork, thing = self.forked[thread.pid], thread.thing
        if holder.pid != fork.parent or thing is None:
            return False
        if thing.owner is not None:
            return holder.ident == thing.owner
        line = holder.stack.frames[0].line if holder.stack.frames else 0
        stood = any(
            other.startswith(f"{holder.stack.thread} at ") and other.endswith(f":{line}")
            for other in fork.others
        )
        return stood and any(
            held.thing is not None and held.thing.id == thing.id for held in holder.holds
        )

    def may_go_on(self) -> Waiting | None:
        """A thread whose waiting ends by itself or from outside, so that the others may yet go on."""
        candidates = [thread for thread in self.threads if thread.timed or thread.from_outside]
        candidates.sort(key=lambda thread: (thread.is_sleeping, not thread.stack.main))
        return next(iter(candidates), None)

    def words(self) -> str:
        """What is to be said of it in one line."""
        main = self.main
        if main is None:
            return ""
        at = f" at {main.place}" if main.place else ""
        timed = " (with a timeout)" if main.timed else ""
        if main.wait is Wait.RUNNING:
            return f"the main thread is running{at}"
        named = ""
        if main.wait is Wait.THREAD and main.place is None:
            for other in self.blockers(main)[:1]:
                named = f" ({other.stack.thread}, which is waiting for {other.what}"
                named += f" at {other.place})" if other.place else ")"
        return f"the main thread is waiting for {main.what}{named}{timed}{at}"


def _of_a_pool(thread: Waiting) -> bool:
    return any(
        frame.file.endswith(("concurrent/futures/thread.py", "multiprocessing/pool.py"))
        for frame in thread.stack.frames
    )
