"""Begin recording in this process. Called by ``sitecustomize``; everything is in place before the program's first line.

What is put into the program, all of it: a thread that looks ten times a second, a mapped file, a fault handler that writes to
a file of ours (unless the program has its own), a finder in ``sys.meta_path``, an ``atexit`` and a fork hook, and thin
wrappers around ``sys.exit``, ``os._exit``, ``os.abort``, ``os.kill``, ``signal.alarm`` and the places where the standard library swallows exceptions of
threads, futures and workers. See ``docs/what-is-inside.md``.
"""

from __future__ import annotations

import atexit
import os
import sys

from .after_import import AfterImport
from .census import Census
from .circumstances import Circumstances
from .clock import Clock
from .fault import FaultFile
from .hooks import Hooks, like
from .journal import Journal, remove
from .later import Later
from .memory import METER
from .pipelines import Pipelines
from .sampler import (
    SECONDS_BETWEEN,
    Sampler,
    kernel_threads,
    others_at_a_fork,
    wait_for_one_thread,
)
from .shelf import Shelf
from .shim import Shim

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

    from .look import Look


SHIM_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_shim.so")

#: What `outlive run` puts first in PYTHONPATH.
PATH_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "path")

#: Python threads that have ended may take the kernel a moment to clean up.
THREAD_GONE_SECONDS = 0.05

#: A program that is over before this has no stack worth keeping.
FIRST_DELAY_SECONDS = 0.015

#: Other libraries install signal handlers too, and load shared objects.
SECONDS_BETWEEN_REFRESH = 1.0


#: From 3.12 on Python warns of a fork with threads, and some of its releases look only after the hooks in the parent.
FORK_LOOKS_LAST = sys.version_info >= (3, 12)

#: A link in the record's folder: its text is a question, as ``look`` answers them.
QUESTION = "look"

NEEDS_ONE_THREAD = ("unshare", "setns")


#: A link in the record's folder: stop the program before the kernel's memory killer does.
BRAKE_NAME = "brake"

#: A link in the record's folder: fit the program's pipelines to the memory there is.
BOUND_NAME = "bound"

#: Links in the record's folder of an attempt that `outlive run --heal` has started: what is different in it.
TRIM_NAME = "trim"
SKIP_NAME = "skip"
SPAWN_NAME = "spawn"

#: Modules with functions that save checkpoints, see ``checkpoints``.
SAVING_MODULES = (
    "keras.src.saving.saving_api",
    "keras.src.callbacks.backup_and_restore",
    "tensorflow.python.checkpoint.checkpoint",
)

#: When so many processes ended badly (three files each, 1 MB) no more are recorded: the disk is the program's.
MAX_FILES = 300


class Agent:
    """The recorder of one process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._journal = Journal(folder, self._introduction)
        self._around = Circumstances(lambda: own_code(library_folders()))
        self._hooks = Hooks(self._journal, self._end_well, self._around)
        self._pipelines = Pipelines(self._journal)
        self._scene = Shelf(("weighing", "graphs", "broken_pipeline", "scene"))
        self._fault = FaultFile(folder, self._their_fault_file)
        self._sampler = Sampler(self._journal, self._each_tick)
        self._restart = Later(self._sampler.start)
        self._shim: Optional[Shim] = None
        self._census: Optional[Census] = None
        self._cells: Any = None  # in the kernel of a notebook
        self._brake: Any = None  # where it was asked for
        self._trimming: Any = None  # likewise
        self._checkpoints: Any = None  # loaded with the first module that saves some
        self.savers: Any = (
            None  # who wants to save before the brake stops the program, see keep/pressure.py
        )
        self._look: Optional[Look] = None
        self._question = os.path.join(folder, QUESTION)
        self._forked: Dict[str, Any] = {}
        self._refreshed = 0.0
        self._one_of_many = any(name.endswith(".ring") for name in files_in(folder))

    def start(self) -> None:
        """Put everything in place."""
        self._fault.enable()
        METER.open()
        self._hooks.install_exits()
        self._hooks.install_kill()
        acts = {
            **self._hooks.after_import(),
            **self._pipelines.after_import(),
            **{name: self._checkpoints_of(name) for name in SAVING_MODULES},
            "multiprocessing.context": self._start_methods,
        }
        if os.path.islink(os.path.join(self._folder, BOUND_NAME)):
            acts = self._bounding(acts)
        if os.path.islink(os.path.join(self._folder, SKIP_NAME)):
            acts = self._skipping(acts)
        AfterImport({**acts, **self._of_notebooks()}).install()
        atexit.register(self._leave)
        os.register_at_fork(
            before=self._before_fork,
            after_in_parent=self._restart.ask if FORK_LOOKS_LAST else self._sampler.start,
            after_in_child=self._in_child,
        )
        for name in NEEDS_ONE_THREAD:
            if hasattr(os, name):
                setattr(os, name, self._alone(getattr(os, name)))
        self._open_the_rest()
        if os.path.islink(os.path.join(self._folder, BRAKE_NAME)):
            self.brake(True)
        if os.path.islink(os.path.join(self._folder, TRIM_NAME)):
            self._trim_the_heap()
        self._sampler.start(delay=FIRST_DELAY_SECONDS)

    def _of_notebooks(self) -> Dict[str, Callable[[Any], None]]:
        """Loaded only in the kernel of a notebook, and in a program that starts one."""

        def cells() -> Any:
            from .cells import Cells

            self._cells = self._cells or Cells(self._folder, self._hooks.taken)
            return self._cells

        def launcher(module: Any) -> None:
            from .kernels import Kernels

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
            from .checkpoints import Checkpoints

            self._checkpoints = Checkpoints(self._journal)
        return self._checkpoints

    def note(self, kind: str, **fields: Any) -> None:
        """For those parts of Outlive that the program itself has called."""
        self._journal.note(kind, **fields)

    def _start_methods(self, module: Any) -> None:
        """Who asks for a fork by its name; and, where an attempt before hung of one, spawn as what is usual."""
        from .start_methods import note_forks_by_name, spawn_by_default

        note_forks_by_name(module, self._journal.note)
        if os.path.islink(os.path.join(self._folder, SPAWN_NAME)):
            spawn_by_default(module)

    def _bounding(self, acts: Dict[str, Any]) -> Dict[str, Any]:
        """With what fits pipelines to the memory, after what is done anyway; without it, if it cannot be loaded."""
        try:
            from .bounded import load

            more = load(self._folder, self._pipelines, own_code(library_folders()))
        except Exception as error:
            self._journal.note("unbounded", why=f"{type(error).__name__}: {error}"[:300])
            return acts
        return {**acts, **{name: in_turn(acts.get(name), act) for name, act in more.items()}}

    def _skipping(self, acts: Dict[str, Any]) -> Dict[str, Any]:
        """With what skips bad elements, after what is done anyway; without it, if it cannot be loaded."""
        try:
            from .skipped import load

            more = load(os.readlink(os.path.join(self._folder, SKIP_NAME)))
        except Exception as error:
            self._journal.note("unskipping", why=f"{type(error).__name__}: {error}"[:300])
            return acts
        return {**acts, **{name: in_turn(acts.get(name), act) for name, act in more.items()}}

    def _trim_the_heap(self) -> None:
        try:
            from .trimming import Trimming

            self._trimming = Trimming(self._folder)
        except Exception as error:  # another C library
            self._journal.note("untrimmed", why=f"{type(error).__name__}: {error}"[:300])

    def brake(self, on: bool) -> bool:
        """Switch the brake on or off; whether that could be done."""
        if self._brake is None:
            from .brake import Brake

            self._brake = Brake(
                self._folder, own_code(library_folders()), self._journal.note, lambda: self.savers
            )
        if on:
            return bool(self._brake.on())
        self._brake.off()
        return True

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
        is_own = own_code(library_folders())
        self._census = Census(self._journal, self._folder, is_own, self._pipelines)
        self._hooks.refused = self._census.refused
        self._hooks.scene = lambda error, told, own_thread: dict(
            self._scene.load().Scene(is_own, self._pipelines).around(error, told, own_thread)
        )
        self._hooks.cut_off = lambda frame: cut_off(frame, is_own)
        self._shim = Shim.load(SHIM_LIBRARY, self._native_path())
        if self._shim is not None:
            self._shim.refresh()
        self._journal.note("shim", loaded=self._shim is not None)

    def _native_path(self) -> str:
        return os.path.join(self._folder, f"{os.getpid()}.native")

    def _each_tick(self, rss: int) -> None:
        if not (
            self._cells and self._cells.answers
        ):  # a kernel shows what cells raise, and lives on
            self._hooks.look_for_uncaught()
        if self._brake is not None:
            self._brake.consider(rss)
        if self._trimming is not None:
            self._trimming.consider(rss)
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
            asked = os.readlink(self._question)
        except OSError:
            return
        if self._look is None:
            from .look import Look

            self._look = Look(self._journal, own_code(library_folders()))
        self._look.answer(asked)

    def _leave(self) -> None:
        """At exit: registered first, so this runs last."""
        self._restart.forget()
        self._sampler.stop()
        self._hooks.look_for_uncaught()
        main = sys.modules.get("__main__")
        self._journal.note("leaving", main=str(getattr(main, "__file__", "") or ""))
        self._end_well()

    def _their_fault_file(self, descriptor: int) -> None:
        if self._shim is not None:
            self._shim.last_words(descriptor)

    def _end_well(self) -> None:
        """Of a helper that ends with nothing to tell nothing is kept: a program may start a million of them."""
        if self._one_of_many and not self._journal.eventful:
            self._journal.close()
            remove(self._fault.path)
            remove(self._native_path())

    def _alone(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel refuses these to a process with more threads than one: ours steps aside."""

        @like(real)
        def alone(*args: Any, **kwargs: Any) -> Any:
            self._step_aside()
            try:
                return real(*args, **kwargs)
            finally:
                self._sampler.start()

        alone.__module__ = "os"
        return alone

    def _before_fork(self) -> None:
        self._restart.after_the_call_in(sys._getframe(1))
        self._step_aside()

    def _step_aside(self) -> None:
        threads = kernel_threads()
        only_ours = threads == 2
        self._sampler.stop()
        # Ours is not among them; those that Python does not know (TensorFlow's) are only counted.
        self._forked = {
            "threads_at_fork": max(0, threads - 2),
            "others_at_fork": others_at_a_fork(),
        }
        if only_ours:
            wait_for_one_thread(THREAD_GONE_SECONDS)

    def _in_child(self) -> None:
        self._restart.forget()
        self._one_of_many = True
        self._hooks.cut_off = None  # os._exit is how a forked child ends
        self.savers = None  # who asked was the parent
        if self._checkpoints is not None:
            self._checkpoints.forked()
        self._journal.forked()
        if len(files_in(self._folder)) > MAX_FILES:
            self._journal.close()
            self._fault.close()
            return
        self._fault.forked()
        self._around.forked()
        if self._brake is not None:
            self._brake.off()  # a child is not stopped, and its memory is its own
            self._brake = None
        METER.forked()
        self._sampler.forked()
        if self._census is not None:
            self._census.forked()
        if self._shim is not None:
            self._shim.reopen(self._native_path())
        self._sampler.start(delay=SECONDS_BETWEEN)


def cut_off(frame: Any, is_own: Callable[[str], bool]) -> Dict[str, Any]:
    """What ``os._exit`` loses: the program is at its end, so what looks for it may be loaded now."""
    from .unfinished import unfinished

    return dict(unfinished(frame, is_own))


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
        return os.listdir(folder)
    except OSError:
        return []


def library_folders() -> List[str]:
    """Folders whose code is not the user's own."""
    found = {os.path.dirname(os.path.abspath(os.__file__))}
    for entry in sys.path:
        if os.path.basename(entry) in ("site-packages", "dist-packages"):
            found.add(os.path.abspath(entry))
    return sorted(found)


def own_code(libraries: List[str]) -> Callable[[str], bool]:
    """Whether a file is the user's own code."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = tuple(os.path.join(folder, "") for folder in [*libraries, here])

    def is_own(file: str) -> bool:
        if file.startswith("<"):
            return file.startswith(("<string>", "<stdin>", "<ipython-input"))
        if file.endswith((".pyx", ".pxd", ".pxi")):
            return False
        absolute = os.path.abspath(file)
        return not absolute.startswith(folders) and "/site-packages/" not in absolute

    return is_own


def in_main_interpreter() -> bool:
    """A second interpreter in the same process loads ``sitecustomize`` too, and is left alone."""
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return True
    return bool(interpreters.get_current() == interpreters.get_main())


def start(folder: str) -> None:
    """Record this process below the folder."""
    if os.path.isdir(folder) and in_main_interpreter() and len(files_in(folder)) <= MAX_FILES:
        AGENTS.append(Agent(folder))
        AGENTS[0].start()


#: The recorder of this process, for a notebook that switches its brake.
AGENTS: List[Agent] = []
