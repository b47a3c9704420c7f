"""After the program's end: judge the record, tell the verdict, close the record."""

from __future__ import annotations

import os

from outlive.cli.run_program.prepare import say
from outlive.cli.run_program.tell import tell_others
from outlive.recorder.store import run_folders

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.cli.run_program.prepare import Record, Run
    from outlive.model.evidence import Evidence
    from outlive.model.findings import Verdict
    from outlive.recorder.flight import Flight
    from outlive.recorder.killable_child import Cut, Work
    from outlive.recorder.supervisor import Ended


class Conclusion:
    """The end of one recorded run."""

    def __init__(
        self, run: Run, record: Record, flight: Flight, ended: Ended, *, told: bool
    ) -> None:
        self._options = run.options
        self._record = record
        self._flight = flight
        self._ended = ended
        self._quiet = told or run.quiet  #: ``told`` already, while it hung

    def draw(self) -> tuple[Verdict, Evidence | None] | None:
        """Judge, tell and seal; returns the verdict, and the evidence for `--heal`, unless nothing happened or nothing is known."""
        self._flight.program_ended(self._ended)
        if self._flight.uneventful(self._ended):
            self._nothing_happened()
            return None
        from outlive.recorder.killable_child import Cut, apart

        try:
            judged: tuple[Verdict, Evidence | None] = apart(self._judge)
        except Cut as cut:
            self._give_up(cut)
            return None
        self._seal_if_possible()
        self._tell_others(judged[0])
        return judged

    def _nothing_happened(self) -> None:
        if not self._quiet and os.isatty(2):
            say(_dim(f"outlive: {self._flight.detail()}."))
        self._flight.look_back(self._ended)
        self._seal(eventful=False)
        self._tell_others(None)

    def _judge(self, work: Work) -> None:
        """Look back, judge and tell. In a process of its own: whoever waits for the program must not wait for this."""
        from outlive.coroner.files.inspect import inspect
        from outlive.coroner.judge import judge
        from outlive.recorder.store.entries import reading_once

        with reading_once():
            work.step("reading what the program left behind")
            self._flight.look_back(self._ended, inspect)
            work.step("reading the record")
            frames = self._flight.all_frames()
            verdict, evidence = judge(self._record.name, frames, self._record.rings, work.part)
        work.step("printing the verdict")
        self._keep(verdict)
        if not self._quiet:
            self._show(verdict, evidence)
        work.result((verdict, evidence if self._options.heal else None))

    def _keep(self, verdict: Verdict) -> None:
        from outlive.model.verdict_json import to_json

        try:
            run_folders.write_private(self._record.verdict_path, to_json(verdict) + "\n")
        except OSError as error:
            why = f"the verdict could not be written: {error.strerror}"
            self._flight.trouble = self._flight.trouble or why

    def _show(self, verdict: Verdict, evidence: Evidence) -> None:
        from outlive.report.terminal import show_after_run

        if self._flight.trouble:
            say(f"outlive: {self._flight.trouble}.")
        show_after_run(verdict, evidence, as_json=self._options.json)
        if os.environ.get("GITHUB_ACTIONS"):
            from outlive.report.hooks.annotate_github import annotate_death

            annotate_death(
                verdict, evidence.run.program.folder, " ".join(evidence.run.program.command)
            )

    def _give_up(self, cut: Cut) -> None:
        """Say how the program ended and what kept the verdict; the record is whole, and `outlive why` judges it later without a deadline."""
        if os.path.exists(self._record.verdict_path):
            os.unlink(self._record.verdict_path)  # it may be half of one
        self._seal_if_possible()
        if cut.stopped:
            return
        from outlive.coroner.judge import undecided

        status = (self._ended.signal, self._ended.exit_code)
        verdict = undecided(self._record.name, *status, self._flight.died_at, str(cut))
        if not self._quiet:
            from outlive.report.terminal import show_undecided

            show_undecided(verdict, as_json=self._options.json)
        self._tell_others(verdict)

    def _seal_if_possible(self) -> None:
        try:
            self._seal(eventful=True)
        except OSError as error:
            say(f"outlive: the record could not be closed: {error.strerror}.")

    def _seal(self, eventful: bool) -> None:
        from outlive.recorder.store.seal import seal

        seal(self._record.folder, self._record.rings, self._flight.secrets, eventful)

    def _tell_others(self, verdict: Verdict | None) -> None:
        tell_others(self._options, self._record.name, self._flight, self._ended, verdict)


def _dim(text: str) -> str:
    return text if os.environ.get("NO_COLOR") else f"\x1b[2m{text}\x1b[0m"
