"""`outlive run`: start the program before anything heavy is imported, watch it, tell why it died.

The start must cost next to nothing, so this path does without the command-line library: its few options are parsed here, from
the same table that makes the help.
"""

from __future__ import annotations

import os
import sys

from outlive.errors import OutliveError, UsageError
from outlive.host import Host
from outlive.record import runs
from outlive.record.baseline import Baseline
from outlive.record.outside import Blind, Ended, NotStarted, Supervisor, hold_closed_streams

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Option:
    """A switch of `outlive run`, or an option with a number or a text."""

    def __init__(
        self, name: str, short: str, help: str, number: str = "", text: str = "", usual: float = 0
    ) -> None:
        self.name = name
        self.short = short
        self.help = help
        self.number = number  #: what the number is, for the help; empty for a switch
        self.text = text  #: … or the text
        self.usual = usual  #: a switch that may be given a number with "=", and what it is without


OPTIONS = (
    Option(
        "--quiet", "-q", "Print nothing, not even after a death. The record is kept: outlive why."
    ),
    Option("--json", "", "After a death print the verdict as JSON (on stderr) instead of text."),
    Option(
        "--outside",
        "",
        "Load nothing into the program; record it from outside alone (fewer lines are named).",
    ),
    Option(
        "--hang-after",
        "",
        "When the program has made no progress for that long, say what it waits for. It is not touched and goes on.",
        "SECONDS",
    ),
    Option(
        "--brake",
        "",
        "Near the memory limit stop the running line with an exception (MemoryBrake) instead of being killed.",
    ),
    Option(
        "--bound",
        "",
        "Fit the program's tf.data pipelines (shuffle, prefetch, cache, parallel maps, AUTOTUNE) to the memory there is. "
        "Elements and their order stay the same, but for the window of a shuffle.",
    ),
    Option(
        "--deep",
        "",
        "From half of the memory limit on, trace every allocation of Python's and name the lines that made what is kept. "
        "Costs nothing before; from then on Python code that makes nothing but small objects takes up to twenty times as long, "
        "small steps of TensorFlow and Keras one and a half times, NumPy a tenth more.",
    ),
    Option(
        "--live",
        "",
        "Keep a few rows at the bottom of the terminal for its memory, when that will be full, the line that runs and what holds memory. "
        "The program's own output scrolls above them; a program that uses the whole screen is better watched with `outlive top` elsewhere.",
    ),
    Option(
        "--on-death",
        "",
        "When the program has died, run this command with the verdict as JSON on its stdin (masked as by why --share). "
        "It may take 30 seconds and cannot change the exit status. Also: OUTLIVE_ON_DEATH.",
        text="COMMAND",
    ),
    Option(
        "--on-end",
        "",
        "Like --on-death, but whatever the end: after a run that ended well, too.",
        text="COMMAND",
    ),
    Option(
        "--metrics",
        "",
        "Every few seconds write the run's memory, threads, files and limit to this file, for Prometheus "
        "(node_exporter's textfile collector; give it a name that ends with .prom).",
        text="FILE",
    ),
    Option(
        "--otel",
        "",
        "When the run is over, send its events (start, signals, end with the cause) to OpenTelemetry, as the OTEL_ variables say. "
        "Needs: pip install 'outlive[telemetry]'.",
    ),
    Option(
        "--heal",
        "",
        "After a death whose cause is proven and has a remedy that needs no change of code, start the program again with it, "
        "at most 3 times (--heal=N: N times). Says so; both records are kept.",
        usual=3,
    ),
    Option("--no-record", "", "Run the program and nothing else."),
)


class Request:
    """What `outlive run` was asked to do."""

    def __init__(
        self,
        command: list[str],
        switches: frozenset[str],
        numbers: dict[str, float],
        texts: dict[str, str],
    ) -> None:
        self.command = command
        self.switches = switches
        self.numbers = numbers  #: of the options that take one
        self.texts = texts  #: likewise


def parse(arguments: Sequence[str]) -> Request:
    """Split Outlive's own options from the command. Everything from the first other word on belongs to the program."""
    long = {option.short: option.name for option in OPTIONS if option.short}
    known = {
        option.name for option in OPTIONS if not (option.number or option.text or option.usual)
    }
    numbered = {option.name for option in OPTIONS if option.number}
    usual = {option.name: option.usual for option in OPTIONS if option.usual}
    worded = {option.name: option.text for option in OPTIONS if option.text}
    switches = set()
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    rest = list(arguments)
    divided = False
    while rest:
        word = long.get(rest[0], rest[0])
        if word == "--":
            divided = True
            rest.pop(0)
            break
        name, given, value = word.partition("=")
        if name in numbered:
            rest.pop(0)
            numbers[name] = _positive(name, value if given else rest.pop(0) if rest else "")
            continue
        if name in usual:
            rest.pop(0)
            numbers[name] = _whole(name, value) if given else usual[name]
            continue
        if name in worded:
            rest.pop(0)
            texts[name] = value if given else rest.pop(0) if rest else ""
            if not texts[name]:
                raise UsageError(
                    f"{name} needs {worded[name]}.", "`outlive run --help` says what for."
                )
            continue
        if word not in known:
            break
        switches.add(word)
        rest.pop(0)
    if not rest:
        raise UsageError(
            "There is nothing to run.", "For example:  outlive run train.py --epochs 3"
        )
    first = rest[0]
    if first in ("-m", "-c") or (not first.startswith("-") and first.endswith(".py")):
        if first in ("-m", "-c") and len(rest) < 2:
            raise UsageError(
                f"{first} needs an argument.", f"For example:  outlive run {first} package.module"
            )
        return Request([sys.executable, *rest], frozenset(switches), numbers, texts)
    if first.startswith("-") and not divided:
        raise UsageError(
            f"There is no option {first}.",
            f"`outlive run --help` lists them. An option of Python's goes like this:  outlive run -- python {first} …",
        )
    return Request(rest, frozenset(switches), numbers, texts)


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(
            f"{name} needs a number of seconds above 0, not {text!r}.",
            f"For example:  outlive run {name} 300 train.py",
        )
    return value


def _whole(name: str, text: str) -> float:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 100):
        raise UsageError(
            f"{name} needs a whole number from 1 to 100, not {text!r}.",
            f"For example:  outlive run {name}=3 train.py",
        )
    return float(text)


def run(arguments: Sequence[str]) -> int:
    """Run a program as if Outlive were not there, and end as it ended."""
    request = parse(arguments)
    if "--otel" in request.switches:
        from outlive.telemetry.sending import require

        require()
    hold_closed_streams()
    host = Host()
    folder, rings, warning = _folders(host, request.switches)
    if "--brake" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.BRAKE_NAME), "on")
    if "--bound" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.BOUND_NAME), "on")
    if "--deep" in request.switches and rings is not None:
        runs.write_link(os.path.join(rings, runs.DEEP_NAME), "1")
    healing = _healing(request, folder, rings)
    supervisor = Supervisor(
        request.command, None if "--outside" in request.switches else rings, healing is not None
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
    watcher, ended = _watch(supervisor, host, baseline, request, folder, rings)
    try:
        told = _conclude(watcher, ended, request, folder, rings)
        if healing is not None and folder is not None:
            _heal(supervisor, list(arguments), request, ended, told, folder, healing)
    except Exception as error:  # our failure must not change the program's status
        _say(f"outlive: the verdict could not be made: {type(error).__name__}: {error}")
    supervisor.end_like(ended)
    return 3


def _healing(request: Request, folder: str | None, rings: str | None) -> Any:
    """With `--heal`: what the attempts before this one have handed over."""
    if "--heal" not in request.numbers or folder is None or rings is None:
        return None
    from outlive.keep.healing import STATE_VARIABLE, State, begin, start_of_input

    state = State.read(os.environ.pop(STATE_VARIABLE, ""), int(request.numbers["--heal"]))
    if not state.tried:
        state = State(state.left, stdin_at=start_of_input())
    begin(state, folder, rings)
    return state


def _heal(
    supervisor: Supervisor,
    arguments: list[str],
    request: Request,
    ended: Ended,
    told: Any,
    folder: str,
    state: Any,
) -> None:
    """After a death: try again, if there is something to try. Comes back only when there is not."""
    from outlive.keep.healing import next_attempt, start_again, told_after_success

    say = (lambda text: None) if "--quiet" in request.switches else _say
    if ended.signal is None and not ended.exit_code:
        if said := told_after_success(state):
            say(said)
        return
    if told is None:
        return
    verdict, evidence = told
    found = next_attempt(verdict, evidence, folder, state, say)
    if found is not None:
        supervisor.step_back()
        start_again(arguments, *found)


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
                    lambda hangs: _tell_of_a_hang(flight, hangs, request, folder, rings),
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
    flight: Any, hangs: bool, request: Request, folder: str, rings: str | None
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
    if quiet or not flight.is_news((waits, *(finding.says for finding in verdict.findings))):
        return
    from outlive.showing import show_after_run

    show_after_run(verdict, evidence, as_json="--json" in request.switches)


def _conclude(
    watcher: Any, ended: Ended, request: Request, folder: str | None, rings: str | None
) -> Any:
    """Seal the record, judge it, print the verdict; that and the evidence, or nothing where nothing happened."""
    if isinstance(watcher, Blind) or folder is None:
        return None
    watcher.program_ended(ended)
    quiet = "--quiet" in request.switches or sys.stderr is None
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
