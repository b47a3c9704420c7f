"""When the run is over: those who asked to be told of it, beside the person at the terminal."""

from __future__ import annotations

import os

from outlive.cli.run_program.prepare import say

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.cli.run_program.request import Options
    from outlive.model.findings import Verdict
    from outlive.recorder.flight import Flight
    from outlive.recorder.supervisor import Ended


def tell_others(
    options: Options, run: str, flight: Flight, ended: Ended, verdict: Verdict | None
) -> None:
    """Tell metrics, OpenTelemetry and commands how the run ended. There is no verdict on one in which nothing happened."""
    status = 128 + ended.signal if ended.signal is not None else ended.exit_code or 0
    if flight.metrics is not None:
        flight.metrics.ended(status, verdict)
        if flight.metrics.trouble:
            say(f"outlive: {flight.metrics.trouble}.")
    if options.otel:
        from outlive.report.telemetry.after_run import send_events

        send_events(run, flight.all_frames(), verdict, flight.shown, status, say)
    if verdict is not None and os.environ.get("TORCHELASTIC_ERROR_FILE"):
        from outlive.report.headline import program_name
        from outlive.report.hooks.torchelastic import tell_torchrun

        tell_torchrun(verdict, program_name(flight.shown), flight.ended_at, os.environ)
    _run_commands(options, run, flight, verdict)


def _run_commands(options: Options, run: str, flight: Flight, verdict: Verdict | None) -> None:
    command = options.on_death or os.environ.get("OUTLIVE_ON_DEATH")
    if command and verdict is not None:
        from outlive.report.hooks.on_death import tell_of_a_death

        tell_of_a_death(command, verdict, say)
    if options.on_end:
        from outlive.report.hooks.on_death import ended_well, tell

        tell(options.on_end, verdict or ended_well(run, flight.detail()), say, "on-end")
