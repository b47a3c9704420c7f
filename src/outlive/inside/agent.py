"""Begin recording in this process. Called by ``sitecustomize``; everything is in place before the program's first line.

What is put into the program, all of it: a thread that looks ten times a second, a mapped file, a fault handler that writes to
a file of ours (unless the program has its own), an ``atexit`` and a fork hook, and a look at the calls of ``sys.exit``, ``os._exit``,
``os.abort``, ``os.kill``, ``signal.alarm`` and at the places where the standard library swallows exceptions of threads, futures and
workers. See ``docs/what-is-inside.md``.
"""

from __future__ import annotations

import atexit
import os
import sys

from .events.hooks import Hooks
from .events.limit_errors import Circumstances
from .events.stack_sampler import Sampler, others_at_a_fork
from .events.ticks import ASKED, EVERY_TICK, FAULT, LOOK, READY, RING_WANTED, UNCAUGHT, Ticks
from .memory.census import WHEN_IN_DANGER, Census
from .memory.meter import METER
from .notes import kinds, links
from .notes.fault import FaultFile
from .notes.journal import Journal, remove
from .notes.pipelines import Pipelines
from .notes.shim import Shim
from .notes.tf_private import CHECKPOINTS, KERAS_BACKUP, KERAS_SAVING
from .notes.words import WORDS
from .start.after_import import AfterImport
from .start.calls import Calls
from .start.clock import Clock
from .start.code_owner import library_folders, own_code
from .start.own_thread import (
    THREAD_GONE_SECONDS,
    LibraryThread,
    kernel_threads,
    wait_for_one_thread,
)
from .start.real import Real
from .start.shelf import Shelf

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

    from .events.waits import Look


SHIM_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_shim.so")

#: What `outlive run` puts first in PYTHONPATH.
PATH_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start", "path")

#: A program that is over before this has no stack worth keeping.
FIRST_DELAY_SECONDS = 0.015

#: Other libraries install signal handlers too, and load shared objects.
SECONDS_BETWEEN_REFRESH = 1.0


NEEDS_ONE_THREAD = ("unshare", "setns")

#: Modules with functions that save checkpoints, see ``checkpoints``.
SAVING_MODULES = (KERAS_SAVING, KERAS_BACKUP, CHECKPOINTS)

#: When so many processes ended badly (three files each, 1 MB) no more are recorded: the disk is the program's.
MAX_FILES = 300


class Agent:
    """The recorder of one process."""

    def __init__(self, folder: str, young: Any = None) -> None:
        self._folder = folder
        self._began_in = self._adopted = Real.getpid()
        self._journal = Journal(folder, self._introduction, self._adopt)
        self._young = young
        self._calls = Calls(SHIM_LIBRARY, young.originals if young is not None else {})
        self._around = Circumstances(own_code)
        self._hooks = Hooks(self._journal, self._end_well, self._around)
        self._pipelines = Pipelines(self._journal)
        self._scene = Shelf(
            ("memory.sizes", "events.graph_lines", "events.broken_pipeline", "events.scene")
        )
        self._fault = FaultFile(folder, self._calls, self._their_fault_file)
        self._sampler = Sampler(self._journal, self._each_tick, self._begin, self._leave)
        self._sampler.asked = self._asked
        if young is not None:
            self._sampler.forked(young.main)  # another thread may be the one that loads us
        self._shim: Optional[Shim] = None
        self._census: Optional[Census] = None
        self._cells: Any = None  # in the kernel of a notebook
        self._brake: Any = None  # where it was asked for
        self._trimming: Any = None  # likewise
        self._steps: Any = None  # in a rehearsal
        self._checkpoints: Any = None  # loaded with the first module that saves some
        self.savers: Any = (
            None  # who wants to save before the brake stops the program, see keep/pressure/watch.py
        )
        self._look: Optional[Look] = None
        self._question = links.link_in(folder, links.LOOK)
        self._forked: Dict[str, Any] = {}
        self._refreshed = 0.0
        self._unrecorded = False
        self._one_of_many = any(name.endswith(".ring") for name in files_in(folder))

    def start(self) -> None:
        """Put everything in place."""
        if self._young is None:
            self._fault.enable()
            METER.open()
        else:
            self._fault.take_over(*self._young.fault)
            METER.take_over(*self._young.statm)
        self._hooks.install(self._calls)
        acts = {
            **self._hooks.after_import(),
            **self._pipelines.after_import(),
            **{name: self._checkpoints_of(name) for name in SAVING_MODULES},
            "multiprocessing.context": self._start_methods,
        }
        if self._is_asked_for(links.BOUND):
            acts = self._bounding(acts)
        if self._is_asked_for(links.SKIP):
            acts = self._skipping(acts)
        if self._is_asked_for(links.REHEARSE):
            acts = self._rehearsing(acts)
        AfterImport({**acts, **self._of_notebooks()}).install(self._calls)
        for name in NEEDS_ONE_THREAD:
            if hasattr(os, name):
                self._calls.watch(os, name, before=self._alone(getattr(os, name)))
        self._open_the_rest()
        taken_over = self._young is not None and isinstance(self._sampler.thread, LibraryThread)
        if not taken_over:  # the library of a young process has its own
            atexit.register(self._sampler.thread.at_exit)
        hooks = self._sampler.thread.hooks()
        if hooks:
            os.register_at_fork(**hooks)
        if self._is_asked_for(links.BRAKE):
            self.brake(True)
        if self._is_asked_for(links.TRIM):
            self._trim_the_heap()
        if self._steps is not None:
            self._at_every_tick()
        self._sampler.start(delay=FIRST_DELAY_SECONDS)

    def _is_asked_for(self, link: links.Link) -> bool:
        return os.path.islink(links.link_in(self._folder, link))

    def _of_notebooks(self) -> Dict[str, Callable[[Any], None]]:
        """Loaded only in the kernel of a notebook, and in a program that starts one."""

        def cells() -> Any:
            from .events.cells import Cells

            self._cells = self._cells or Cells(self._folder, self._hooks.taken)
            return self._cells

        def launcher(module: Any) -> None:
            from .events.child_kernels import Kernels

            Kernels(self._folder, PATH_FOLDER).wrap_launcher(module)

        def shell(module: Any) -> None:
            if self._brake is not None:
                self._brake.let_errors_be_shown(module)

        return {
            "IPython.core.interactiveshell": shell,
            "ipykernel.kernelbase": lambda module: cells().wrap_kernel(module),
            "IPython.core.compilerop": lambda module: cells().wrap_compiler(module),
            "jupyter_client.launcher": launcher,
        }

    def _checkpoints_of(self, name: str) -> Callable[[Any], None]:
        """Which checkpoints are saved and read; what is known of these modules is loaded with the first of them."""
        return lambda module: self.checkpoints().wrap(name, module)

    def checkpoints(self) -> Any:
        """Who writes down what is saved."""
        if self._checkpoints is None:
            from .notes.checkpoints import Checkpoints

            self._checkpoints = Checkpoints(self._journal)
        return self._checkpoints

    def note(self, kind: kinds.Kind, **fields: Any) -> None:
        """For those parts of Outlive that the program itself has called."""
        self._journal.note(kind, **fields)

    def _start_methods(self, module: Any) -> None:
        """Who asks for a fork by its name; and, where an attempt before hung of one, spawn as what is usual."""
        from .events.start_methods import note_forks_by_name, spawn_by_default

        note_forks_by_name(module, self._journal.note)
        if self._is_asked_for(links.SPAWN):
            spawn_by_default(module)

    def _bounding(self, acts: Dict[str, Any]) -> Dict[str, Any]:
        """Add what fits pipelines to the memory."""

        def load() -> Dict[str, Any]:
            from .tfdata.load_bounding import load

            return load(self._folder, self._pipelines, own_code())

        from .notes.unloaded import BOUNDING, Unloaded

        return with_more(acts, Unloaded(self._journal.note).acts_of(BOUNDING, load))

    def _skipping(self, acts: Dict[str, Any]) -> Dict[str, Any]:
        """Add what skips bad elements."""

        def load() -> Dict[str, Any]:
            from .tfdata.load_skipping import load

            return load(Real.readlink(links.link_in(self._folder, links.SKIP)))

        from .notes.unloaded import SKIPPING, Unloaded

        return with_more(acts, Unloaded(self._journal.note).acts_of(SKIPPING, load))

    def _rehearsing(self, acts: Dict[str, Any]) -> Dict[str, Any]:
        """Add what counts the program's steps; only in the first process, the others are its helpers."""
        if self._one_of_many:
            return acts
        from .events.steps import Steps

        told = Real.readlink(links.link_in(self._folder, links.REHEARSE))
        self._steps = Steps(told, own_code(), self._look_now)
        return with_more(acts, self._steps.after_import())

    def _look_now(self, rss: int) -> None:
        if self._census is not None:
            self._census.look_now(rss)

    def _trim_the_heap(self) -> None:
        try:
            from .memory.trim_heap import Trimming

            self._trimming = Trimming(self._folder)
            self._at_every_tick()
        except Exception as error:  # another C library
            from .notes.unloaded import TRIMMING, Unloaded, reason

            Unloaded(self._journal.note).tell(TRIMMING, reason(error))

    def brake(self, on: bool) -> bool:
        """Switch the brake on or off; whether that could be done."""
        if self._brake is None:
            from .memory.brake import Brake, hide_the_brake

            self._hooks.about_to_show = hide_the_brake
            self._brake = Brake(
                self._folder,
                own_code(),
                self._journal.note,
                lambda: self.savers,
                self._sampler.thread.data_limit,
            )
        self._at_every_tick()
        if on:
            return bool(self._brake.on())
        self._brake.off()
        return True

    def undisturbed(self, work: Callable[[], Any]) -> Any:
        """Call something of Outlive's own that the brake is not to stop."""
        return work() if self._brake is None else self._brake.undisturbed(work)

    @property
    def folder(self) -> str:
        """The folder of the rings."""
        return self._folder

    @property
    def braking(self) -> bool:
        """Whether the brake was asked for."""
        return self._brake is not None

    def _introduction(self) -> Dict[str, Any]:
        """The first record of a process: who it is, and what counts as a library in it."""
        main = sys.modules.get("__main__")
        return {
            "parent": os.getppid(),
            "python": sys.version.split()[0],
            "libraries": library_folders(),
            "main": str(getattr(main, "__file__", "") or ""),
            **self._forked,
            "prefix": sys.prefix,
            "executable": sys.executable or "",
        }

    def _open_the_rest(self) -> None:
        """Here, not in the sampler's thread: a descriptor that is open for a moment takes a number that the program counts on."""
        WORDS.is_own = is_own = own_code()
        self._census = Census(self._journal, self._folder, is_own, self._pipelines)
        self._hooks.refused = self._census.refused
        self._hooks.scene = lambda error, told, own_thread: dict(
            self._scene.load().Scene(is_own, self._pipelines).around(error, told, own_thread)
        )
        self._hooks.endings.cut_off = lambda frame: (
            cut_off(frame, is_own)
            if Real.getpid() == self._began_in
            else {}  # os._exit is how a forked child ends
        )
        self._shim = Shim.load(SHIM_LIBRARY, self._native_path())
        if self._shim is not None:
            self._shim.refresh()
            self._shim.let_children_be_late(self._folder)
            self._hooks.said, self._hooks.said_so_far = self._shim.said, self._shim.said_so_far
            self._fault.guard_by(self._shim.guard)
            self._let_the_shim_sample(self._shim)
        self._journal.note(kinds.SHIM, loaded=self._shim is not None)
        if self._sampler.ticks is not None:  # here, not in the thread: Python there needs an arena
            self._journal.share_stacks(self._sampler.ticks.write_into)

    def _let_the_shim_sample(self, shim: Shim) -> None:
        ticks = Ticks.of(shim.library)
        if ticks is not None:
            ticks.know(self._folder, self._question, shim.signals, WHEN_IN_DANGER)
            ticks.watch(*self._fault.watched)
            self._sampler.ticks = ticks
            self._sampler.thread = LibraryThread(shim.library)
            self._hooks.endings.is_new = self._sampler.thread.is_new

    def _asked(self, why: int, rss: int, limit: int, used: int, error: Any = None) -> None:
        """Do what the shim's loop leaves to Python; it holds the error."""
        ticks: Any = self._sampler.ticks
        if why & RING_WANTED:
            self._journal.share_stacks(ticks.write_into)
        if why & UNCAUGHT:
            self._look_for_uncaught(error)
        if why & EVERY_TICK:
            METER.told = ticks.told()
            try:
                self._brake_and_trim(rss)
            finally:
                METER.told = ()
        if why & (READY | LOOK) and self._census is not None:
            self._census.told(rss, limit, used, bool(why & LOOK))
        if why & FAULT:
            self._fault.check()
            ticks.watch(*self._fault.watched)
        if why & ASKED:
            self._answer_a_question()

    def _at_every_tick(self) -> None:
        """Python runs at every tick only for who wants it."""
        if self._sampler.ticks is not None:
            wanted = any(one is not None for one in (self._brake, self._trimming, self._steps))
            self._sampler.ticks.settings.every_tick = int(wanted)

    def _native_path(self) -> str:
        return os.path.join(self._folder, f"{Real.getpid()}.native")

    def _look_for_uncaught(self, error: Any = None) -> None:
        """A kernel shows what cells raise, and lives on."""
        if not (self._cells and self._cells.answers):
            self._hooks.look_for_uncaught(error=error)

    def _brake_and_trim(self, rss: int) -> None:
        if self._brake is not None:
            self._brake.consider(rss)
        if self._trimming is not None:
            self._trimming.consider(rss)
        if self._steps is not None:
            self._steps.consider(rss)

    def _each_tick(self, rss: int) -> None:
        """Where the shim does not sample: everything."""
        if self._shim is not None and self._shim.confined:
            self._shim.leave_the_last_word()
            raise SystemExit  # of this thread: the program may die of what it does
        self._look_for_uncaught()
        self._brake_and_trim(rss)
        if self._census is not None:
            self._census.consider(rss)
            self._sampler.near = self._census.near
        now = Clock.monotonic()
        if now - self._refreshed >= SECONDS_BETWEEN_REFRESH:
            self._refreshed = now
            self._fault.check()
            if self._shim is not None:
                self._shim.refresh()
            self._answer_a_question()

    def _answer_a_question(self) -> None:
        """Somebody wants to know what the threads wait for: rare, so what answers is loaded only then."""
        try:
            asked = Real.readlink(self._question)
        except OSError:
            return
        if self._look is None:
            from .events.waits import Look

            self._look = Look(self._journal, own_code())
        self._look.answer(asked)

    def _leave(self) -> None:
        """At exit, in our thread: nothing of the program's Python runs any more."""
        self._hooks.look_for_uncaught(leaving=True)
        if self._ends_without_a_word():
            self._end_well()
        else:
            main = sys.modules.get("__main__")
            self._journal.note(kinds.LEAVING, main=str(getattr(main, "__file__", "") or ""))
        self._calls.end()

    def _their_fault_file(self, descriptor: int) -> None:
        if self._shim is not None:
            self._shim.last_words(descriptor)

    def _ends_without_a_word(self) -> bool:
        """A helper that has nothing to tell."""
        helper = self._one_of_many or Real.getpid() != self._began_in
        return helper and not self._journal.eventful

    def _end_well(self) -> None:
        """Of a helper that ends with nothing to tell nothing is kept: a program may start a million of them."""
        if self._ends_without_a_word():
            self._journal.close()
            remove(self._native_path())
            if self._adopted == Real.getpid():
                remove(self._fault.path)

    def _alone(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel refuses these to a process with more threads than one: ours steps aside."""
        inside: List[int] = []  # threads that have come here before

        def alone(args: Any, names: Any) -> Any:
            if Real.get_ident() in inside:
                return None
            inside.append(Real.get_ident())
            try:
                self._step_aside()
                return (real(*args, **(names or {})),)
            except Exception as error:
                return error.with_traceback(None)
            finally:
                self._sampler.start()
                inside.remove(Real.get_ident())

        return alone

    def _step_aside(self) -> None:
        only_ours = kernel_threads() == 2
        self._sampler.stop()
        if only_ours:
            wait_for_one_thread(THREAD_GONE_SECONDS)

    def _begin(self) -> bool:
        """First in our thread of a forked child; whether there is something to do in it."""
        self._adopt()
        return not self._unrecorded

    def _adopt(self) -> None:
        """In a forked child, when it has lived for a moment or has something to say: make it a record of its own.

        Nothing of this is done at once: most children become another program or end before, and a fork should cost them nothing.
        """
        if self._adopted == Real.getpid():
            return
        self._adopted = Real.getpid()
        main, threads, others = self._sampler.thread.at_fork()
        self._forked = {
            "threads_at_fork": max(0, threads),
            "others_at_fork": others_at_a_fork(others),
        }
        self.savers = None  # who asked was the parent
        self._steps = None  # the steps are the parent's
        if self._checkpoints is not None:
            self._checkpoints.forked()
        if len(files_in(self._folder)) > MAX_FILES:
            self._keep_nothing()
            return
        self._fault.forked()
        self._around.forked()
        if self._brake is not None:
            self._brake.off()  # a child is not stopped, and its memory is its own
            self._brake = None
            self._at_every_tick()
        METER.forked()
        self._sampler.forked(main)
        if self._sampler.ticks is not None:
            self._sampler.ticks.watch(*self._fault.watched)
        if self._census is not None:
            self._census.forked()
        if self._shim is not None:
            self._shim.reopen(self._native_path())

    def _keep_nothing(self) -> None:
        self._unrecorded = True
        self._journal.close()
        self._fault.close()
        if self._shim is not None:
            self._shim.close()


def cut_off(frame: Any, is_own: Callable[[str], bool]) -> Dict[str, Any]:
    """What ``os._exit`` loses: the program is at its end, so what looks for it may be loaded now."""
    from .events.lost_at_exit import unfinished

    return dict(unfinished(frame, is_own))


def with_more(acts: Dict[str, Any], more: Dict[str, Any]) -> Dict[str, Any]:
    """Add acts after those that are done anyway."""
    return {**acts, **{name: in_turn(acts.get(name), act) for name, act in more.items()}}


def in_turn(
    first: Optional[Callable[[Any], None]], second: Callable[[Any], None]
) -> Callable[[Any], None]:
    """Two acts on one module, each safe from the other."""

    def both(module: Any) -> None:
        try:
            if first is not None:
                first(module)
        finally:
            second(module)

    return both


def files_in(folder: str) -> List[str]:
    """What lies in a folder; nothing in one that this process may no longer look into."""
    try:
        return Real.listdir(folder)
    except OSError:
        return []


def start(folder: str) -> None:
    """Record this process below the folder."""
    if os.path.isdir(folder) and len(files_in(folder)) <= MAX_FILES:
        young = getattr(sys.modules.get("_outlive"), "young", None)
        AGENTS.append(Agent(folder, young))
        AGENTS[0].start()


#: The recorder of this process, for a notebook that switches its brake.
AGENTS: List[Agent] = []
