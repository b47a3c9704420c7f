"""The supervisor of one kernel: starts it, outlives it, and tells the running cell why it died.

It is the recorder's supervisor; what it does besides is in ``flight`` (who may end a kernel) and ``afterwards`` (what is said). Those are
loaded while the kernel is already starting.
"""

from __future__ import annotations

import os

from outlive.errors import OutliveError
from outlive.inside.machine.host import Host
from outlive.inside.notes import links
from outlive.recorder.baseline import Baseline
from outlive.recorder.store import run_folders
from outlive.recorder.supervisor import Blind, Ended, Supervisor, hold_closed_streams

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Set by whoever starts a kernel that shall not outlive it.
PARENT_VARIABLE = "JPY_PARENT_PID"

#: Loaded in the kernel, where that is asked for and its Python has it.
FORESEE = "outlive.jupyter.foresee"


class Kernel:
    """One kernel, as whoever starts it wants it."""

    def __init__(self, command: Sequence[str], within: str | None) -> None:
        self.command = list(command)
        self.launcher = os.getppid()
        self.bound_to_launcher = os.environ.get(PARENT_VARIABLE) == str(self.launcher)
        self.host = Host()
        self.nested = within is not None
        self.folder, self.rings = _folders(self.host, within)

    def environment(self) -> dict[str, str]:
        """The kernel watches its parent, which is this process now."""
        changed = dict(os.environ)
        if self.bound_to_launcher:
            changed[PARENT_VARIABLE] = str(os.getpid())
        return changed


def run(
    command: Sequence[str], within: str | None, tell: int | None, brake: bool, foresee: bool
) -> None:
    """Run a kernel to its end, and end as it ended. Whatever fails here, the kernel is started and waited for."""
    hold_closed_streams()
    kernel = Kernel(command, within)
    if brake and kernel.rings is not None:
        run_folders.tell_inside(kernel.rings, links.BRAKE)
    if foresee and kernel.rings is not None:
        run_folders.tell_inside(kernel.rings, links.FORESEE, FORESEE)
    baseline = Baseline(kernel.host)
    supervisor = Supervisor(kernel.command, kernel.rings)
    supervisor.start(kernel.environment())
    conclude = None
    try:
        if kernel.rings is not None:
            from outlive.jupyter.before import hand_over_note
            from outlive.jupyter.connection import connection_file_in

            hand_over_note(connection_file_in(command) or "", kernel.rings)
        from outlive.jupyter.afterwards import Afterwards
        from outlive.jupyter.flight import KernelFlight

        afterwards = Afterwards(kernel, supervisor.pid, tell)
        flight = KernelFlight(kernel, baseline, afterwards.prepare, afterwards.load)
        flight.program_started(supervisor.pid, kernel.command)
        ended: Ended = supervisor.wait(flight)
        conclude = afterwards.conclude
    except Exception:
        ended = supervisor.wait(Blind())
    try:
        if conclude is not None:
            conclude(flight, ended)
    except Exception:
        pass  # nobody is told; the end is what it was
    supervisor.end_like(ended)


def _folders(host: Host, within: str | None) -> tuple[str | None, str | None]:
    """In the record of the run that this kernel is a part of, else in a run of its own."""
    try:
        if within is not None:
            return run_folders.part_of_run(within, f"{run_folders.KERNEL_PREFIX}{os.getpid()}")
        return run_folders.new_run(host)
    except (OSError, OutliveError):
        return None, None
