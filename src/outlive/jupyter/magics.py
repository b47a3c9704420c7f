"""``%load_ext outlive``: ``%why`` shows the last verdict, ``%outlive brake on`` and ``%%guarded`` stop a cell before it is killed."""

from __future__ import annotations

import ctypes
import html
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from outlive.coroner.gather.gather import gather
from outlive.coroner.judge import judge, judge_evidence
from outlive.coroner.notebook_kernels import stopped_cell
from outlive.errors import NothingRecorded, OutliveError
from outlive.inside.machine.host import Host
from outlive.jupyter import foresee
from outlive.jupyter.connection import connection_file_in, connection_mark
from outlive.jupyter.flight import NAME_VARIABLE
from outlive.jupyter.telling import as_text
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.recorder.sampler import Sampler
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import reading_once
from outlive.recorder.store.read_run import connection_of, notebook_of, read_run
from outlive.report.html_page import page
from outlive.report.write_page import story_of

PAGE_HEIGHT = 640

#: Judging and drawing the page took 3 MB for a record of ten seconds; a long record takes more, and the kernel itself needs room meanwhile.
ROOM_TO_EXPLAIN_BYTES = 100_000_000

HELP = """\
%why                  why the kernel of this notebook died, or why a cell was stopped
%why RUN              the same for another run; !outlive runs lists them
%outlive brake on     near the memory limit, stop the running cell; all variables survive
%outlive brake off    let cells run into the limit
%outlive foresee on   before a cell runs, say which line will fail
%outlive foresee off  say nothing before a cell runs
%%guarded             as the first line of a cell: the brake, for this cell alone{watched}"""
NOT_WATCHED = "\n\nThis kernel is not watched. Enable it, then restart the Jupyter server:  !outlive jupyter enable"


class Told:
    """A verdict, as a notebook shows it: the page where pages can be shown, else text."""

    def __init__(self, verdict: Verdict, evidence: Evidence, text: str) -> None:
        self._verdict = verdict
        self._evidence = evidence
        self._page = text

    def __repr__(self) -> str:
        return as_text(self._verdict, self._evidence)

    def _repr_html_(self) -> str:
        """In a frame of its own: the page's style must not become the notebook's."""
        return (
            f'<iframe sandbox="allow-scripts" style="width:100%;height:{PAGE_HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self._page)}"></iframe>'
        )


class GuardedCellFailed(Exception):
    """The cell below ``%%guarded`` raised something, which has been shown already."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@magics_class
class OutliveMagics(Magics):  # type: ignore[misc]  # untyped where IPython is not installed
    """The magics of a notebook: `%why`, `%outlive` and `%%guarded`."""

    @line_magic  # type: ignore[untyped-decorator]  # IPython's
    def why(self, line: str) -> None:
        """``%why [RUN]``: why did the kernel of this notebook die, or why was a cell stopped? With RUN: why did that run die?"""
        _plainly(lambda: _undisturbed(lambda: display(_told(shlex.split(line)))))

    @line_magic  # type: ignore[untyped-decorator]  # IPython's
    def outlive(self, line: str) -> None:
        """``%outlive`` tells what there is; ``%outlive brake on|off``: near the memory limit a cell is stopped, and every variable lives; ``%outlive foresee on|off``: a word before a cell that will fail."""
        words = line.split()
        if not words:
            text = HELP.format(watched="" if recorder() else NOT_WATCHED)
            display({"text/plain": text}, raw=True)
        elif words in (["brake", "on"], ["brake", "off"]):
            _plainly(lambda: switch_brake(words[1] == "on"))
        elif words in (["foresee", "on"], ["foresee", "off"]):
            (foresee.load if words[1] == "on" else foresee.unload)(self.shell)
        else:
            raise UsageError(f"%outlive {line} is not known. Type %outlive for a list.")

    @cell_magic  # type: ignore[untyped-decorator]  # IPython's
    def guarded(self, line: str, cell: str) -> None:
        """``%%guarded``: the brake, for this cell alone."""
        _plainly(lambda: switch_brake(True))
        try:
            result = self.shell.run_cell(cell)
        finally:
            _plainly(lambda: switch_brake(False))
        if not result.success:
            raise GuardedCellFailed("the guarded cell failed, see above")


def recorder() -> Any:
    """The part of Outlive that watches this kernel from within, if it is watched."""
    return next(iter(getattr(sys.modules.get("_outlive.agent"), "AGENTS", ())), None)


def switch_brake(on: bool) -> None:
    """In the recorder that watches this kernel."""
    agent = recorder()
    if agent is None or not agent.brake(on):
        raise NothingRecorded(
            "This kernel is not watched, so it cannot be stopped in time.",
            "Enable it, then restart the Jupyter server:  !outlive jupyter enable",
        )


def _undisturbed(work: Callable[[], None]) -> None:
    """Do something that the brake does not stop. Where it would be the last that fits into the memory, nothing is begun."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not every C library has it
    if trim is not None:
        trim(0)  # what was deleted may not have been given back
    if room() < ROOM_TO_EXPLAIN_BYTES:
        raise NothingRecorded(
            "Too little memory is left to explain it here.",
            "Delete what you do not need (del NAME), then type %why again.",
        )
    agent = recorder()
    work() if agent is None else agent.undisturbed(work)


def room() -> int:
    """The memory that is left below the tightest limit above this kernel."""
    host = Host()
    sampler = Sampler(host, os.getpid())
    sample: dict[str, Any] = {"groups": sampler.read_groups()}
    _, available = host.memory()
    if available is not None:
        sample["available"] = available
    left = (limit - used for used, limit in sampler.limits(sample))
    return min(left, default=ROOM_TO_EXPLAIN_BYTES)


def _plainly(work: Callable[[], None]) -> None:
    """Tell a failure in its own words, without the frames of Outlive."""
    try:
        work()
    except OutliveError as error:
        raise UsageError(f"{error.message} {error.help}".rstrip()) from None


def _told(words: Sequence[str]) -> Told:
    """The verdict on a run that is named; else on this notebook's last stopped cell or death, whichever is newer."""
    if not words:
        stopped = _stopped_here()
        if stopped is not None:
            return stopped
    folder = run_folders.find_run(words[0]) if words else last_death()
    with reading_once():
        payloads, rings = read_run(folder)
        verdict, evidence = judge(os.path.basename(folder), payloads, rings)
        return _as_shown(verdict, evidence, payloads, rings)


def _stopped_here() -> Told | None:
    """What the brake did in this kernel: nothing of an earlier one is newer."""
    agent = recorder()
    if agent is None:
        return None
    with reading_once():
        payloads, rings = read_run(os.path.dirname(agent.folder))
        stopped = stopped_cell(gather(payloads, rings or agent.folder))
        if stopped is None:
            return None
        verdict, evidence = judge_evidence(os.path.basename(os.path.dirname(agent.folder)), stopped)
        return _as_shown(verdict, evidence, payloads, rings)


def _as_shown(
    verdict: Verdict, evidence: Evidence, payloads: Sequence[dict[str, Any]], rings: str | None
) -> Told:
    return Told(verdict, evidence, page(story_of(verdict, evidence, payloads, rings, share=False)))


def last_death() -> str:
    """The folder of the newest death of this notebook's kernel; outside a notebook, of the newest run that has a verdict."""
    notebook = os.environ.get(NAME_VARIABLE, "")
    connection = connection_mark(connection_file_in(sys.argv))
    for name in reversed(run_folders.list_runs()):
        folder = run_folders.folder_of(name)
        if not os.path.exists(os.path.join(folder, run_folders.VERDICT_NAME)):
            continue
        if not connection:
            return folder
        payloads, _ = read_run(folder)
        if connection == connection_of(payloads) or notebook == (notebook_of(payloads) or None):
            return folder
    if connection:
        raise NothingRecorded(
            "No death of this notebook's kernel has been recorded.",
            "Others:  !outlive runs  lists them, and  %why RUN  shows one.",
        )
    raise NothingRecorded(
        "No death has been recorded.", "To watch kernels:  outlive jupyter enable"
    )


def load(ipython: Any) -> None:
    """Register the magics in a running IPython."""
    ipython.register_magics(OutliveMagics)
