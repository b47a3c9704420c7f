"""All that a parent knows of the death of its worker; what the coroner is given."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from outlive.inside.machine.host import GroupReading
from outlive.jobs.schedule import Fall
from outlive.model.quick_dataclass import dataclass

#: Sent by people, schedulers and the kernel's memory killer; a program that fails by itself dies of others.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)

#: C++ writes this before it aborts because an allocation failed.
REFUSED = "std::bad_alloc"


@dataclass(frozen=True, slots=True)
class Circle:
    """A cgroup that the worker was in, before its death and after."""

    path: str
    version: int
    own: bool  #: made for the worker alone
    before: GroupReading
    after: GroupReading

    @property
    def kills(self) -> int | None:
        """Processes that the kernel killed in it in the meantime."""
        if self.before.oom_kills is None or self.after.oom_kills is None:
            return None
        return self.after.oom_kills - self.before.oom_kills


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker ended, or what it threw, and what it was doing."""

    pid: int
    status: int | None = (
        None  #: as ``wait`` gives it; None: it threw, or its zygote was gone before
    )
    busy: tuple[tuple[str, tuple[int, ...]], ...] = ()  #: stage and inputs, the main thread first
    log: str = ""
    circles: tuple[Circle, ...] = ()
    budget_bytes: int | None = None
    peak_bytes: int = 0
    stood_seconds: float | None = None  #: it hung, and was killed after this long
    computed: bool = False  #: … while it used a processor: it may only have been slow
    over_bytes: int | None = None  #: it was killed by Outlive at this much memory
    thrown: Mapping[str, Any] = field(default_factory=dict)  #: the exception, when one was told

    @property
    def signal(self) -> int | None:
        """The number of the signal that ended it; nothing when none did."""
        if self.status is None or not os.WIFSIGNALED(self.status):
            return None
        return os.WTERMSIG(self.status)

    @property
    def exit_code(self) -> int | None:
        """Or what it returned."""
        if self.status is None or not os.WIFEXITED(self.status):
            return None
        return os.WEXITSTATUS(self.status)

    @property
    def kernel_killed(self) -> bool:
        """Tell whether Linux killed a process in the worker's cgroup: the nearest one that can be read decides."""
        nearest = next((circle for circle in self.circles if circle.kills is not None), None)
        return self.signal == signal.SIGKILL and nearest is not None and bool(nearest.kills)

    @property
    def fall(self) -> Fall:
        """Classify the death; what happens to the worker's inputs depends on it."""
        if self.stood_seconds is not None:
            return Fall.HANG
        if self.over_bytes is not None or self.kernel_killed:
            return Fall.MEMORY
        if self.status is None or self.signal in FROM_OUTSIDE:
            return Fall.OUTSIDE
        return Fall.MEMORY if REFUSED in self.log else Fall.CRASH
