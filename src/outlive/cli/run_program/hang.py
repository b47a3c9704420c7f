"""While the program makes no progress: say what it waits for."""

from __future__ import annotations

import os
import signal

from outlive.cli.run_program.prepare import say
from outlive.recorder.store import run_folders

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.cli.run_program.prepare import Record, Run
    from outlive.keep.heal.attempt import Attempt
    from outlive.model.evidence import Evidence
    from outlive.model.findings import Verdict
    from outlive.recorder.flight import Flight
    from outlive.recorder.killable_child import Work


class Hangs:
    """The times in which a program makes no progress, as they are told."""

    def __init__(self, run: Run, record: Record, flight: Flight, attempt: Attempt | None) -> None:
        self._run = run
        self._record = record
        self._flight = flight
        self._attempt = attempt
        self._shown: str | None = None  #: the cause that was printed last

    def tell(self, hangs: bool) -> None:
        """Judge what is known of a program that hangs, print it, keep it; of one that goes on again, say so."""
        if not hangs:
            self._tell_that_it_goes_on()
            return
        judged = self._judged()
        if judged is not None:
            self._tell_of(*judged)

    def _tell_that_it_goes_on(self) -> None:
        if os.path.exists(self._record.verdict_path):
            os.unlink(self._record.verdict_path)  # it is no longer true
        if self._flight.end_signal:
            return  # what moved was its end, as far as that came
        if not self._run.quiet and not self._run.options.json:
            say("outlive: the program continues.")

    def _tell_of(self, verdict: Verdict, evidence: Evidence) -> None:
        from outlive.model.verdict_json import to_json

        run_folders.write_private(self._record.verdict_path, to_json(verdict) + "\n")
        waits = evidence.waits.standstill.words() if evidence.waits.standstill else ""
        if not self._flight.is_news((waits, *(finding.says for finding in verdict.findings))):
            return
        if not self._run.quiet:
            self._show(verdict, evidence)
        if self._attempt is not None:
            self._attempt.of_a_hang(self._flight, verdict, evidence)

    def _show(self, verdict: Verdict, evidence: Evidence) -> None:
        """Print a verdict; of one that has been shown and outlasted Ctrl-C, say only that, and what ends the program."""
        known, self._shown = self._shown, verdict.cause.slug if verdict.cause else ""
        number = self._flight.end_signal
        if number and known == self._shown and not self._run.options.json:
            say(f"outlive: still stuck. {_how_to_end(number, evidence.run.program.pid)}")
            return
        from outlive.report.terminal import show_after_run

        show_after_run(verdict, evidence, as_json=self._run.options.json)

    def _judged(self) -> tuple[Verdict, Evidence] | None:
        """Judge what it waits for; nothing where a signal came for the program, or where it took too long."""
        from outlive.recorder.killable_child import Cut, apart

        try:
            judged: tuple[Verdict, Evidence] = apart(self._judge)
        except Cut as cut:
            if not cut.stopped:
                why = f"why the program is stuck is not known: {cut}"
                self._flight.trouble = self._flight.trouble or why
            return None
        return judged

    def _judge(self, work: Work) -> None:
        from outlive.coroner.gather.gather import gather
        from outlive.coroner.judge import judge_evidence

        work.step("reading the record")
        evidence = gather(self._flight.all_frames(), self._record.rings)
        work.result(judge_evidence(self._record.name, evidence, work.part))


def _how_to_end(number: int, pid: int) -> str:
    """Say what ends a program that a signal has not ended."""
    if number == signal.SIGINT:
        return "Ctrl-C did not end it: press it again, or Ctrl-\\."
    return f"{signal.Signals(number).name} did not end it:  kill -KILL {pid}"
