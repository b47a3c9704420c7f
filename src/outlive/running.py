"""`outlive run`: start the program before anything heavy is imported, watch it, tell why it died.

The start must cost next to nothing: what is not needed for it is imported when it is.
"""

from __future__ import annotations

import os
import sys

from outlive.errors import OutliveError
from outlive.host import Host
from outlive.record import runs
from outlive.record.baseline import Baseline
from outlive.record.outside import Blind, Ended, NotStarted, Supervisor, hold_closed_streams
from outlive.run_request import Request, parse

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from outlive.attempts import Attempt


def run(arguments: Sequence[str]) -> int:
    """Run a program as if Outlive were not there, and end as it ended."""
    request = parse(arguments)
    if "--otel" in request.switches:
        from outlive.telemetry.sending import require

        require()
    hold_closed_streams()
    left = ""
    if "--heal" in request.numbers:
        from outlive.attempts import handed_over

        left = handed_over()
    host = Host()
    folder, rings, warning = _folders(host, request.switches)
    if "--brake" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.BRAKE_NAME), "on")
    if "--bound" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.BOUND_NAME), "on")
    if "--deep" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.DEEP_NAME), "1")
    healing = None
    if "--heal" in request.numbers and folder is not None and rings is not None:
        from outlive.attempts import begun

        healing = begun(left, int(request.numbers["--heal"]), folder, rings)
    supervisor = Supervisor(
        request.command,
        None if "--outside" in request.switches else rings,
        healing is not None,
        healing.mask if healing is not None and healing.tried else None,
    )
    baseline = Baseline(host)
    try:
        supervisor.start(os.environ)
    except NotStarted as error:
        if folder is not None:
            runs.remove(folder)
        raise CannotStart(request.command[0], error) from error
    if warning and "--quiet" not in request.switches:
        _say(f"outlive: {warning}")
    attempt = None
    if healing is not None and folder is not None:
        from outlive.attempts import Attempt

        say = (lambda text: None) if "--quiet" in request.switches else _say
        brake_on = "--brake" in request.switches
        attempt = Attempt(supervisor, list(arguments), folder, healing, brake_on, say)
    watcher, ended = _watch(supervisor, host, baseline, request, folder, rings, attempt)
    try:
        told = _conclude(
            watcher, ended, request, folder, rings, attempt is not None and attempt.ended_it
        )
        if attempt is not None:
            attempt.after(ended, told)
    except Exception as error:  # our failure must not change the program's status
        _say(f"outlive: the verdict could not be made: {type(error).__name__}: {error}")
    supervisor.end_like(ended)
    return 3


class CannotStart(OutliveError):
    """The command cannot be started; the status is the one that a shell gives."""

    def __init__(self, name: str, error: NotStarted) -> None:
        super().__init__(
            f"Cannot run {name!r}: {error}.", "Is it installed, and is its name right?"
        )
        self.exit_code = error.status


def _folders(host: Host, switches: frozenset[str]) -> tuple[str | None, str | None, str]:
    """Where to record, or why it cannot be done where it should."""
    if "--no-record" in switches:
        return None, None, ""
    try:
        return (*runs.new_run(host), "")
    except (OSError, OutliveError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    try:
        folder, rings = runs.temporary_run(host)
    except OSError:
        return None, None, f"nothing is recorded: cannot write below {runs.home()} ({reason})."
    return (
        folder,
        rings,
        f"cannot write below {runs.home()} ({reason}); this run is recorded in {folder}.",
    )


def _watch(
    supervisor: Supervisor,
    host: Host,
    baseline: Baseline,
    request: Request,
    folder: str | None,
    rings: str | None,
    attempt: Attempt | None,
) -> tuple[Any, Ended]:
    """Wait for the end with a flight recorder, or blindly if that fails."""
    watcher: Any = Blind()
    try:
        if folder is not None:
            from outlive.record.flight import Flight

            flight = Flight(host, baseline, request.command, folder, rings)
            flight.program_started(supervisor.pid, request.command)
            if "--metrics" in request.texts:
                from outlive.telemetry.metrics_file import MetricsFile

                flight.metrics = MetricsFile(
                    request.texts["--metrics"],
                    os.path.basename(folder),
                    request.command,
                    baseline.time,
                )
            if "--hang-after" in request.numbers:
                flight.watch_for_hangs(
                    request.numbers["--hang-after"],
                    lambda hangs: _tell_of_a_hang(flight, hangs, request, folder, rings, attempt),
                )
            watcher = flight
        ended = supervisor.wait(_with_strip(watcher, request, folder))
    except Exception as error:
        _say(f"outlive: recording failed ({type(error).__name__}: {error}); the program goes on.")
        watcher = Blind()
        ended = supervisor.wait(watcher)
    return watcher, ended


def _with_strip(watcher: Any, request: Request, folder: str | None) -> Any:
    """The watcher, with the rows that `--live` asks for; without a terminal, or a record, a word instead."""
    if "--live" not in request.switches:
        return watcher
    from outlive.strip import Strip, Watched, terminal_of_the_program

    terminal = terminal_of_the_program()
    if terminal is None or folder is None:
        what = "a terminal" if folder is not None else "a record"
        _say(f"outlive: --live needs {what}; the program runs without. See also: outlive top")
        return watcher
    try:
        return Watched(watcher, Strip(terminal, folder))
    except OSError as error:
        _say(f"outlive: --live could not be started: {error.strerror}.")
        return watcher


def _tell_of_a_hang(
    flight: Any,
    hangs: bool,
    request: Request,
    folder: str,
    rings: str | None,
    attempt: Attempt | None,
) -> None:
    """While the program stands still: judge what is known, print it, keep it. When it goes on again, say so."""
    quiet = "--quiet" in request.switches or sys.stderr is None
    path = os.path.join(folder, runs.VERDICT_NAME)
    if not hangs:
        if os.path.exists(path):
            os.unlink(path)  # it is no longer true
        if not quiet and "--json" not in request.switches:
            _say("outlive: the program goes on.")
        return
    from outlive.examine import decide
    from outlive.record.probes import gather
    from outlive.report.data import to_json

    evidence = gather(flight.all_frames(), rings)
    verdict = decide(os.path.basename(folder), evidence)
    runs.write_private(path, to_json(verdict) + "\n")
    waits = evidence.standstill.words() if evidence.standstill else ""
    if not flight.is_news((waits, *(finding.says for finding in verdict.findings))):
        return
    if not quiet:
        from outlive.showing import show_after_run

        show_after_run(verdict, evidence, as_json="--json" in request.switches)
    if attempt is not None:
        attempt.of_a_hang(flight, verdict, evidence)


def _conclude(
    watcher: Any,
    ended: Ended,
    request: Request,
    folder: str | None,
    rings: str | None,
    shown: bool,
) -> Any:
    """Seal the record, judge it, print the verdict unless it was; that and the evidence, or nothing where nothing happened."""
    if isinstance(watcher, Blind) or folder is None:
        return None
    watcher.program_ended(ended)
    quiet = shown or "--quiet" in request.switches or sys.stderr is None
    if watcher.uneventful(ended):
        if not quiet and os.isatty(2):
            _say(_dim(f"outlive: {watcher.detail()}."))
        seal(folder, rings, watcher.secrets, eventful=False)
        _tell_others(watcher, ended, request, folder, None)
        return None
    from outlive.judging import judge
    from outlive.report.data import to_json

    verdict, evidence = judge(os.path.basename(folder), watcher.all_frames(), rings)
    try:
        runs.write_private(os.path.join(folder, runs.VERDICT_NAME), to_json(verdict) + "\n")
        seal(folder, rings, watcher.secrets, eventful=True)
    except OSError as error:
        watcher.trouble = watcher.trouble or f"the verdict could not be written: {error.strerror}"
    if not quiet:
        if watcher.trouble:
            _say(f"outlive: {watcher.trouble}.")
        from outlive.showing import show_after_run

        show_after_run(verdict, evidence, as_json="--json" in request.switches)
        if os.environ.get("GITHUB_ACTIONS"):
            from outlive.annotating import annotate_death

            annotate_death(verdict, evidence.program.folder, " ".join(evidence.program.command))
    _tell_others(watcher, ended, request, folder, verdict)
    return verdict, evidence


def _tell_others(watcher: Any, ended: Ended, request: Request, folder: str, verdict: Any) -> None:
    """Those who asked to be told: metrics, events, the command for a death. There is no verdict on a run in which nothing happened."""
    status = 128 + ended.signal if ended.signal is not None else ended.exit_code or 0
    if watcher.metrics is not None:
        watcher.metrics.ended(status, verdict)
        if watcher.metrics.trouble:
            _say(f"outlive: {watcher.metrics.trouble}.")
    if "--otel" in request.switches:
        from outlive.telemetry.after_run import send_events

        run, frames = os.path.basename(folder), watcher.all_frames()
        send_events(run, frames, verdict, request.command, status, _say)
    command = request.texts.get("--on-death") or os.environ.get("OUTLIVE_ON_DEATH")
    if command and verdict is not None:
        from outlive.on_death import tell_of_a_death

        tell_of_a_death(command, verdict, _say)
    if "--on-end" in request.texts:
        from outlive.on_death import ended_well, tell

        tell(
            request.texts["--on-end"],
            verdict or ended_well(os.path.basename(folder), watcher.detail()),
            _say,
            "on-end",
        )


def seal(folder: str, rings: str | None, secrets: Sequence[str], eventful: bool) -> None:
    """Nothing more will be written: tidy, and make room for later runs."""
    from outlive.record.closing import close_rings

    close_rings(folder, rings, secrets, eventful)
    runs.write_private(os.path.join(folder, runs.SEALED_NAME), b"")
    runs.prune(os.path.basename(folder))


def _dim(text: str) -> str:
    return text if os.environ.get("NO_COLOR") else f"\x1b[2m{text}\x1b[0m"


def _say(text: str) -> None:
    try:
        os.write(2, (text + "\n").encode())
    except OSError:
        pass
