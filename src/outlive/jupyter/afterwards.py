"""After a kernel's end: was it a death? Then find the cause, tell the running cell, and leave a note where no cell ran."""

from __future__ import annotations

import json
import os

from outlive.jupyter.before import leave_note
from outlive.jupyter.connection import connection_file_in, end_holders, read_connection
from outlive.jupyter.flight import ENDING_SIGNALS, KernelFlight
from outlive.jupyter.speaking import LastWords
from outlive.jupyter.wrapper import Kernel
from outlive.record import runs
from outlive.record.notebook import Notebook, notebook_in
from outlive.record.outside import Ended
from outlive.running import seal

TYPE_CHECKING = False  # what judges is heavy, and is loaded when the kernel has started, or is dead
if TYPE_CHECKING:
    from outlive.evidence import Evidence
    from outlive.model import Verdict

NAME = "KernelDied"


class Afterwards:
    """What is done when the kernel is gone."""

    def __init__(self, kernel: Kernel, pid: int, tell: int | None) -> None:
        self._kernel = kernel
        self._pid = pid
        self._tell = tell
        self._connection_file = connection_file_in(kernel.command)
        self._words: LastWords | None = None

    def load(self) -> None:
        """What judges and shows, before it is needed: a dead kernel shall not wait for it."""
        from outlive.jupyter import telling  # noqa: F401
        from outlive.record import probes  # noqa: F401
        from outlive.unit import cause, discover

        discover(cause)

    def prepare(self, flight: KernelFlight) -> None:
        """While the kernel is still a zombie: if a cell waits for an answer, be there when its client comes back."""
        notebook = self._notebook()
        connection = read_connection(self._connection_file)
        if connection is None or flight.asked_to_end or notebook.shutdown or not notebook.running:
            return
        end_holders(connection, os.getsid(0))
        helpers = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        self._words = LastWords(connection, notebook.running, self._kernel.command, helpers)

    def conclude(self, flight: KernelFlight, ended: Ended) -> None:
        """Judge, keep the record, and only then speak: whoever hears it may end us at once."""
        from outlive.examine import decide
        from outlive.jupyter.telling import headline, traceback
        from outlive.record.probes import gather
        from outlive.report.data import to_json

        kernel = self._kernel
        flight.program_ended(ended)
        if kernel.folder is None:
            return self._keep_silent()
        died = unasked(self._notebook(), ended, flight.asked_to_end)
        evidence = gather(flight.all_frames(), kernel.rings) if died else None
        if evidence is None or _was_wished(evidence, flight.launchers):
            self._seal(flight, eventful=False)
            return self._keep_silent()
        verdict = decide(os.path.basename(kernel.folder), evidence)
        path = os.path.join(kernel.folder, runs.VERDICT_NAME)
        runs.write_private(path, to_json(verdict) + "\n")
        self._seal(flight, eventful=True)
        self._report(verdict)
        told = traceback(verdict, evidence)
        if self._words is not None:
            self._words.say(NAME, headline(verdict), told)
        elif self._connection_file is not None and not kernel.nested:
            leave_note(self._connection_file, kernel.folder, told)
        return None

    def _notebook(self) -> Notebook:
        return notebook_in(self._kernel.rings, self._pid)

    def _keep_silent(self) -> None:
        if self._words is not None:
            self._words.keep_silent()

    def _seal(self, flight: KernelFlight, eventful: bool) -> None:
        """A kernel that is a part of a run is sealed with it."""
        if self._kernel.folder is not None and not self._kernel.nested:
            seal(self._kernel.folder, self._kernel.rings, flight.secrets, eventful)

    def _report(self, verdict: Verdict) -> None:
        """To the server that started this kernel, if it listens."""
        if self._tell is None:
            return
        cause = verdict.cause
        words = {
            "run": verdict.run,
            "says": cause.says if cause else "The cause is not known.",
            "where": f"{cause.where.file}, line {cause.where.line}"
            if cause and cause.where
            else "",
            "cell_told": self._words is not None,
        }
        try:
            os.write(self._tell, json.dumps(words).encode() + b"\n")
        except OSError:
            pass


def unasked(notebook: Notebook, ended: Ended, asked: bool) -> bool:
    """Whether a kernel died that nobody had asked to end. A cell that has no answer is a death, whatever the status says."""
    if asked or notebook.shutdown:
        return False
    return bool(notebook.running) or ended.signal is not None or bool(ended.exit_code)


def _was_wished(evidence: Evidence, launchers: frozenset[int]) -> bool:
    """Whoever started the kernel sent it the signal that ended it."""
    if evidence.fatal_signal not in {number.name for number in ENDING_SIGNALS}:
        return False
    got = evidence.sender_of(evidence.fatal_signal)
    return got is not None and got.sender_pid in launchers
