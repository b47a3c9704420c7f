"""The flight of a kernel: it follows the one who started the kernel, knows whose wish an end was, and is told of the death first."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence

from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import mask_and_cut
from outlive.jupyter.connection import connection_file_in, connection_mark
from outlive.jupyter.wrapper import PARENT_VARIABLE, Kernel
from outlive.recorder.baseline import Baseline
from outlive.recorder.flight import Flight
from outlive.recorder.sampler import process_stat

#: With these a kernel is asked to end. (Not SIGINT: that interrupts a cell.)
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

#: In which a Jupyter server tells a kernel the path of its notebook.
NAME_VARIABLE = "JPY_SESSION_NAME"
LONGEST_NAME = 400

#: Scripts between a launcher and a kernel.
DEEPEST = 8

#: A kernel that is still starting has better use for the processor.
SECONDS_BEFORE_LOADING = 4.0


class KernelFlight(Flight):
    """The record of one kernel."""

    def __init__(
        self,
        kernel: Kernel,
        baseline: Baseline,
        at_death: Callable[[KernelFlight], None],
        load: Callable[[], None],
    ) -> None:
        super().__init__(kernel.host, baseline, kernel.command, kernel.folder, kernel.rings)
        self._kernel = kernel
        self._at_death = at_death
        self.launchers = frozenset(launchers(kernel.host, kernel.launcher))
        self.asked_to_end = False
        self._load: Callable[[], None] | None = load

    def program_started(self, pid: int, argv: Sequence[str]) -> None:
        """Write who is recorded, that it is a kernel, and whose."""
        super().program_started(pid, argv)
        name = "" if self._kernel.nested else os.environ.get(NAME_VARIABLE, "")
        name = "" if name.endswith("/") else name  # nbclassic tells the folder alone
        self._event(
            kinds.KERNEL,
            notebook=mask_and_cut(name, LONGEST_NAME, self.secrets),
            connection=connection_mark(connection_file_in(self._kernel.command)),
        )

    def sample_if_due(self) -> None:
        """And end the kernel when its launcher is gone, as it would have ended itself."""
        if self._kernel.bound_to_launcher and os.getppid() != self._kernel.launcher:
            self.asked_to_end = True
            try:
                os.kill(self._pid, signal.SIGKILL)
            except OSError:
                pass
        super().sample_if_due()
        if self._load is not None and self.elapsed() >= SECONDS_BEFORE_LOADING:
            load, self._load = self._load, None
            load()

    def received(self, number: int, sender: int | None, uid: int) -> None:
        """A signal from the one who started the kernel is a wish, not an accident."""
        if number in ENDING_SIGNALS and sender in self.launchers:
            self.asked_to_end = True
        super().received(number, sender, uid)

    def program_is_dead(self, killed: int | None) -> None:
        """Its clients begin to come back at once: be there."""
        try:
            self._at_death(self)
        except Exception as error:
            self.trouble = self.trouble or f"the cell could not be determined: {error}"
        super().program_is_dead(killed)


def launchers(host: Host, parent: int) -> list[int]:
    """Whoever may end the kernel: its parent and, if that is only a shell or a script between them, the one who calls itself the launcher."""
    found, pid = [parent], parent
    while pid > 1 and len(found) < DEEPEST:
        if str(pid) == os.environ.get(PARENT_VARIABLE):
            return found
        pid = getattr(process_stat(host, pid), "parent", 0)
        found.append(pid)
    return [parent]
