"""What `outlive run` is asked to do: its options, and where they end and the program's command begins.

The start must cost next to nothing, so this does without the command-line library; the same table makes the help.
"""

from __future__ import annotations

import sys

from outlive.errors import UsageError

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence


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
        "When the program has made no progress for that long, say what it waits for. It is not touched and goes on "
        "(with --heal, one of which it is proven that it never can is ended and started again).",
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
