"""``%load_ext outlive``: ``%why`` shows the last verdict, ``%outlive brake on`` and ``%%guarded`` stop a cell before it is killed."""

from __future__ import annotations

import html
import os
import shlex
import sys
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

from outlive.errors import NothingRecorded, UsageError
from outlive.evidence import Evidence
from outlive.judging import judge
from outlive.jupyter.telling import as_text
from outlive.model import Verdict
from outlive.paging import story_of
from outlive.record import runs
from outlive.record.reading import read_run
from outlive.report.page import page

PAGE_HEIGHT = 640


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
    """The magics."""

    @line_magic  # type: ignore[untyped-decorator]  # IPython's
    def why(self, line: str) -> None:
        """``%why [RUN]``: why did the last kernel or program (or RUN) die?"""
        words = shlex.split(line)
        folder = runs.find_run(words[0]) if words else last_death()
        payloads, rings = read_run(folder)
        verdict, evidence = judge(os.path.basename(folder), payloads, rings)
        story = story_of(verdict, evidence, payloads, rings, share=False)
        display(Told(verdict, evidence, page(story)))

    @line_magic  # type: ignore[untyped-decorator]  # IPython's
    def outlive(self, line: str) -> None:
        """``%outlive brake on|off``: near the memory limit a cell is stopped, and every variable lives."""
        if line.split() not in (["brake", "on"], ["brake", "off"]):
            raise UsageError(f"There is no %outlive {line}.", "There is:  %outlive brake on|off")
        switch_brake(line.split()[1] == "on")

    @cell_magic  # type: ignore[untyped-decorator]  # IPython's
    def guarded(self, line: str, cell: str) -> None:
        """``%%guarded``: the brake, for this cell alone."""
        switch_brake(True)
        try:
            result = self.shell.run_cell(cell)
        finally:
            switch_brake(False)
        if not result.success:
            raise GuardedCellFailed("the guarded cell failed, see above")


def switch_brake(on: bool) -> None:
    """In the recorder that watches this kernel."""
    agents = getattr(sys.modules.get("_outlive_record.inside.agent"), "AGENTS", ())
    if not any(agent.brake(on) for agent in agents):
        raise UsageError(
            "This kernel is not watched, so nothing can stop it in time.",
            "Switch it on in a shell, and start the server again:  outlive jupyter enable",
        )


def last_death() -> str:
    """The folder of the newest run that has a verdict."""
    for name in reversed(runs.list_runs()):
        folder = os.path.join(runs.runs_folder(), name)
        if os.path.exists(os.path.join(folder, runs.VERDICT_NAME)):
            return folder
    raise NothingRecorded(
        "No death has been recorded.", "Kernels are watched after:  outlive jupyter enable"
    )


def load(ipython: Any) -> None:
    """Register the magics."""
    ipython.register_magics(OutliveMagics)
