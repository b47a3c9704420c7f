"""While the program runs: record it, and show what was asked for, until it is gone."""

from __future__ import annotations

from outlive.cli.run_program.prepare import say
from outlive.recorder.supervisor import Blind

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.cli.run_program.prepare import Record, Run
    from outlive.cli.run_program.start import Started
    from outlive.recorder.flight import Flight
    from outlive.recorder.supervisor import Ended, Watcher


def watch(run: Run, started: Started) -> tuple[Flight | None, Ended]:
    """Wait for the end of the program, with a flight recorder if it is recorded."""
    flight = _recorder(run, run.record, started) if run.record is not None else None
    watcher = flight if flight is not None else Blind()
    return flight, started.supervisor.wait(_with_strip(watcher, run))


def _recorder(run: Run, record: Record, started: Started) -> Flight:
    """Make the recorder of a program that has started, with those who listen to it."""
    from outlive.recorder.flight import Flight

    flight = Flight(run.host, started.baseline, run.command, record.folder, record.rings)
    options = run.options
    flight.job = options.job
    flight.program_started(started.supervisor.pid, run.command)
    if not run.quiet:
        flight.warn = _warn
    if options.metrics:
        from outlive.report.telemetry.metrics_file import MetricsFile

        began = started.baseline.time
        flight.metrics = MetricsFile(options.metrics, record.name, flight.shown, began)
    if options.hang_after:
        from outlive.cli.run_program.hang import Hangs

        hangs = Hangs(run, record, flight, started.attempt)
        flight.watch_for_hangs(options.hang_after, hangs.tell)
    else:
        flight.note_hangs()
    return flight


def _warn(says: str) -> None:
    """Tell the person what a watch says, in one line."""
    from outlive.report.text import visible

    say(f"outlive: {visible(says)}")


def _with_strip(watcher: Watcher, run: Run) -> Watcher:
    """Add the rows that `--live` asks for to a watcher; without a terminal, or a record, say a word instead."""
    if not run.options.live:
        return watcher
    from outlive.cli.live_strip import Strip, Watched, terminal_of_the_program

    terminal = terminal_of_the_program()
    if terminal is None or run.record is None:
        what = "a terminal" if run.record is not None else "a record"
        say(f"outlive: --live needs {what}; the program runs without it. See also: outlive top")
        return watcher
    try:
        return Watched(watcher, Strip(terminal, run.record.folder))
    except OSError as error:
        say(f"outlive: --live could not be started: {error.strerror}.")
        return watcher
