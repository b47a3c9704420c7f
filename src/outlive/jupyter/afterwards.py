"""After a kernel's end: was it a death? Then find the cause, tell the running cell, and leave a note where no cell ran."""

from __future__ import annotations

import json
import os

from outlive.coroner.readings.notebook import Notebook, notebook_in
from outlive.jupyter.before import leave_note
from outlive.jupyter.connection import connection_file_in, end_holders, read_connection
from outlive.jupyter.flight import ENDING_SIGNALS, KernelFlight
from outlive.jupyter.speaking import LastWords
from outlive.jupyter.wrapper import Kernel
from outlive.recorder.store import run_folders
from outlive.recorder.store.seal import seal
from outlive.recorder.supervisor import Ended

TYPE_CHECKING = False  # what judges is heavy, and is loaded when the kernel has started, or is dead
if TYPE_CHECKING:
    from outlive.model.evidence import Evidence
    from outlive.model.findings import Verdict

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
        from outlive.coroner import judge  # noqa: F401
        from outlive.jupyter import card, run_again  # noqa: F401
        from outlive.units.unit import cause, discover

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
        from outlive.recorder.store.entries import reading_once

        with reading_once():
            self._conclude(flight, ended)

    def _conclude(self, flight: KernelFlight, ended: Ended) -> None:
        from outlive.coroner.files.inspect import inspect
        from outlive.coroner.gather.gather import gather
        from outlive.coroner.judge import judge_evidence
        from outlive.jupyter.card import card
        from outlive.jupyter.run_again import run_again
        from outlive.jupyter.telling import as_text, headline, one_line, traceback
        from outlive.model.verdict_json import to_json

        kernel = self._kernel
        flight.program_ended(ended)
        flight.look_back(ended, inspect)
        if kernel.folder is None:
            return self._keep_silent()
        died = unasked(self._notebook(), ended, flight.asked_to_end)
        evidence = gather(flight.all_frames(), kernel.rings) if died else None
        if evidence is None or _was_wished(evidence, flight.launchers):
            self._seal(flight, eventful=False)
            return self._keep_silent()
        verdict, evidence = judge_evidence(os.path.basename(kernel.folder), evidence)
        path = os.path.join(kernel.folder, run_folders.VERDICT_NAME)
        run_folders.write_private(path, to_json(verdict) + "\n")
        self._seal(flight, eventful=True)
        self._report(verdict, evidence)
        again = run_again(evidence.notebook.cells)
        told = traceback(verdict, evidence, again)
        if self._words is not None and self._draws():
            shown = {
                "text/html": str(card(verdict, evidence, again)),
                "text/plain": as_text(verdict, evidence, again),
            }
            self._words.say(NAME, headline(verdict), one_line(verdict), shown)
        elif self._words is not None:  # a program that prints errors, and may display nothing
            self._words.say(NAME, headline(verdict), told)
        elif self._connection_file is not None and not kernel.nested:
            leave_note(self._connection_file, kernel.folder, told)
        return None

    def _notebook(self) -> Notebook:
        return notebook_in(self._kernel.rings, self._pid)

    def _draws(self) -> bool:
        """Whether a front end shows what a cell displays: one of our server's, or one that names its cells, as VS Code does. Programs that run notebooks do not."""
        return self._tell is not None or any(it.cell for it in self._notebook().running)

    def _keep_silent(self) -> None:
        if self._words is not None:
            self._words.keep_silent()

    def _seal(self, flight: KernelFlight, eventful: bool) -> None:
        """A kernel that is a part of a run is sealed with it."""
        if self._kernel.folder is not None and not self._kernel.nested:
            seal(self._kernel.folder, self._kernel.rings, flight.secrets, eventful)

    def _report(self, verdict: Verdict, evidence: Evidence) -> None:
        """To the server that started this kernel, if it listens."""
        if self._tell is None:
            return
        cause = verdict.cause
        words = {
            "run": verdict.run,
            "says": cause.says if cause else "Cause unknown.",
            "where": f"{cause.where.file}, line {cause.where.line}"
            if cause and cause.where
            else "",
            "cell_told": self._words is not None,
            "notebook": os.path.basename(evidence.run.program.notebook),
            "cell": next(
                (it.cell for it in evidence.notebook.cells if not (it.done or it.silent)), ""
            ),
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
    if evidence.run.fatal_signal not in {number.name for number in ENDING_SIGNALS}:
        return False
    got = evidence.signals.sender_of(evidence.run.fatal_signal)
    return got is not None and got.sender_pid in launchers
