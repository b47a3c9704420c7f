"""Child processes: which of them died, and whether that matters to the program."""

from __future__ import annotations

import re
from dataclasses import field

from outlive.model.events import ChildDeath, Thrown
from outlive.model.evidence.errors import Errors
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.evidence.waits import Waits
from outlive.model.findings import Place
from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass

#: What a parent meets when a worker is gone: the error of a pool, the end of a pipe, a time that is up, the word of `Process`.
PROCESS_ERRORS = (
    "BrokenExecutor",
    "BrokenProcessPool",
    "CalledProcessError",
    "ChildProcessError",
    "ConnectionError",
    "EOFError",
    "Empty",
    "KeyboardInterrupt",
    "ProcessError",
    "TimeoutError",
)
PROCESS_LIBRARIES = ("/multiprocessing/", "/concurrent/futures/", "/subprocess.py")
PROCESS_WORDS = bounded(
    r"\b(?:worker|process|child|subprocess|exit ?code|exited|killed|died|SIGKILL|-9|137)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Children:
    """The child processes that died, and the lines that fork."""

    deaths: tuple[ChildDeath, ...] = ()
    forks_by_name: tuple[Place, ...] = ()  #: lines that ask `multiprocessing` for a fork
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    errors: Errors = field(default=Errors(), repr=False, compare=False)
    waits: Waits = field(default=Waits(), repr=False, compare=False)

    @property
    def may_be_why(self) -> bool:
        """Whether the death of a worker can be why the program ended, or waits: not where it ended by a signal, or of an error that is not about processes."""
        if self.were_coped_with or (self.run.fatal_signal and self.waits.stuck is None):
            return False
        error = self.errors.uncaught
        if error is None or self.waits.stuck is not None:
            return True
        return any(_about_processes(thrown) for thrown in error.chain())

    @property
    def were_coped_with(self) -> bool:
        """The program asked for a result, was told that its pool is broken, and ended well all the same: with smaller batches, or without."""
        return not self.run.failed and any(
            thrown.seen and thrown.is_a("BrokenProcessPool", "BrokenExecutor")
            for thrown in self.errors.thrown
        )


def _about_processes(thrown: Thrown) -> bool:
    """Whether an exception tells of another process: by its class, by the library that it came from, or by the program's own words."""
    through = any(part in frame.file for frame in thrown.frames for part in PROCESS_LIBRARIES)
    told = thrown.raised_by_program and PROCESS_WORDS.search(thrown.message) is not None
    return thrown.is_a(*PROCESS_ERRORS) or through or told
