"""`outlive run`: prepare, start, watch, conclude.

The start must cost next to nothing: what is not needed for it is imported when it is.
"""

from __future__ import annotations

from outlive.cli.run_program.prepare import prepare, say
from outlive.cli.run_program.request import parse
from outlive.cli.run_program.start import start
from outlive.recorder.supervisor import Blind

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlive.cli.run_program.prepare import Run
    from outlive.cli.run_program.start import Started
    from outlive.recorder.flight import Flight
    from outlive.recorder.supervisor import Ended


def run(arguments: Sequence[str]) -> int:
    """Run a program as if Outlive were not there, and end as it ended."""
    prepared = prepare(parse(arguments))
    started = start(prepared, arguments)
    flight, ended = _watch(prepared, started)
    try:
        _conclude(prepared, started, flight, ended)
    except Exception as error:  # our failure must not change the program's status
        say(f"outlive: could not produce a verdict: {type(error).__name__}: {error}")
    started.supervisor.end_like(ended)
    return 3


def _watch(prepared: Run, started: Started) -> tuple[Flight | None, Ended]:
    """Wait for the end of the program, blindly if recording fails."""
    try:
        from outlive.cli.run_program.watch import watch

        return watch(prepared, started)
    except Exception as error:
        say(f"outlive: recording failed ({type(error).__name__}: {error}); the program continues.")
        return None, started.supervisor.wait(Blind())


def _conclude(prepared: Run, started: Started, flight: Flight | None, ended: Ended) -> None:
    """Tell the verdict on a recorded run, and try once more where it can be healed."""
    attempt, judged = started.attempt, None
    if flight is not None and prepared.record is not None:
        from outlive.cli.run_program.conclude import Conclusion

        told = attempt is not None and attempt.ended_it
        judged = Conclusion(prepared, prepared.record, flight, ended, told=told).draw()
    if attempt is not None:
        attempt.after(ended, judged)
