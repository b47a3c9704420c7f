"""What `outlive run` is asked to do: its options, and where they end and the program's command begins.

The start must cost next to nothing, so this does without the command-line library; the same table makes the help.
"""

from __future__ import annotations

import sys

from outlive.errors import UsageError, did_you_mean

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Option:
    """A switch of `outlive run`, or an option with a number or a text."""

    def __init__(
        self, name: str, short: str, help: str, number: str = "", text: str = "", usual: int = 0
    ) -> None:
        self.name = name
        self.short = short
        self.help = help
        self.number = number  #: what the number is, for the help; empty for a switch
        self.text = text  #: … or the text
        self.usual = usual  #: a switch that may be given a number with "=", and what it is without
        self.field = name.lstrip("-").replace("-", "_")  #: of ``Options``
        self.takes_a_value = bool(number or text or usual)


OPTIONS = (
    Option(
        "--quiet", "-q", "Print nothing, not even after a death. The record is kept: outlive why."
    ),
    Option("--json", "", "After a death, print the verdict as JSON (on stderr) instead of text."),
    Option(
        "--outside",
        "",
        "Load nothing into the program; record it only from outside (fewer lines are identified).",
    ),
    Option(
        "--hang-after",
        "",
        "When the program has made no progress for this long, say what it is waiting for. It is not touched and continues (with --heal, a program that is proven stuck is killed and restarted).",
        "SECONDS",
    ),
    Option(
        "--brake",
        "",
        "Near the memory limit, stop the running line with an exception (MemoryBrake) before Linux kills the program.",
    ),
    Option(
        "--bound",
        "",
        "Fit the program's tf.data pipelines (shuffle, prefetch, cache, parallel maps, AUTOTUNE) to the available memory. Elements and their order stay the same, except for the window of a shuffle.",
    ),
    Option(
        "--deep",
        "",
        "From half of the memory limit on, trace every Python allocation and name the lines that allocated what is still held. Costs nothing before that; afterwards, Python code that only creates small objects takes up to 20 times as long, small TensorFlow and Keras steps 1.5 times, NumPy 10% more.",
    ),
    Option(
        "--live",
        "",
        "Use a few rows at the bottom of the terminal to show memory, when it will be full, the running line and what holds memory. The program's output scrolls above them; for a full-screen program use `outlive top` in another terminal.",
    ),
    Option(
        "--on-death",
        "",
        "After a death, run this command with the verdict as JSON on its stdin (masked as by why --share). It has 30 seconds and cannot change the exit status. Also: OUTLIVE_ON_DEATH.",
        text="COMMAND",
    ),
    Option(
        "--on-end",
        "",
        "Like --on-death, but after every run, including successful ones.",
        text="COMMAND",
    ),
    Option(
        "--metrics",
        "",
        "Every few seconds, write the run's memory, threads, open files and limit to this file, for Prometheus (node_exporter's textfile collector; the name must end with .prom).",
        text="FILE",
    ),
    Option(
        "--otel",
        "",
        "After the run, send its events (start, signals, end with the cause) to OpenTelemetry, as configured by the OTEL_ variables. "
        "Needs: pip install 'outlive[telemetry]'.",
    ),
    Option(
        "--heal",
        "",
        "After a death with a proven cause and a remedy that needs no code change, restart the program with that remedy, at most 3 times (--heal=N: N times). Prints what it does; every attempt is recorded.",
        usual=3,
    ),
    Option(
        "--job",
        "",
        "The program is one rank of this job: outlive why --job NAME gives one verdict for all of them. Known by itself under torchrun, srun, mpirun and with TF_CONFIG.",
        text="NAME",
    ),
    Option("--no-record", "", "Run the program and nothing else."),
)


class Options:
    """The options of one `outlive run`, each a field that cannot be changed.

    A frozen dataclass in all but its making: to import ``dataclasses`` takes 16 ms here, a third of the start.
    """

    __slots__ = (
        "bound", "brake", "deep", "hang_after", "heal", "job", "json", "live", "metrics", "no_record", "on_death", "on_end",
        "otel", "outside", "quiet",
    )  # fmt: skip
    quiet: bool
    json: bool
    outside: bool
    hang_after: float  #: seconds; 0 where it was not asked for
    brake: bool
    bound: bool
    deep: bool
    live: bool
    on_death: str  #: a command, or nothing; likewise the next
    on_end: str
    metrics: str  #: a file
    otel: bool
    heal: int  #: the most attempts; 0 where it was not asked for
    no_record: bool
    job: str  #: the job that it is a rank of, where that was given

    def __init__(
        self, *, quiet: bool = False, json: bool = False, outside: bool = False, hang_after: float = 0, brake: bool = False,
        bound: bool = False, deep: bool = False, live: bool = False, on_death: str = "", on_end: str = "", metrics: str = "",
        otel: bool = False, heal: int = 0, no_record: bool = False, job: str = "",
    ) -> None:  # fmt: skip
        given = locals()
        for name in self.__slots__:
            object.__setattr__(self, name, given[name])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"the options of a run are not changed: {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Options):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))


class Request:
    """What `outlive run` was asked to do."""

    def __init__(self, command: list[str], options: Options) -> None:
        self.command = command
        self.options = options

    @property
    def script(self) -> str:
        """The file that was given to be run by this Python, or nothing."""
        own = self.command[0] == sys.executable and len(self.command) > 1
        return self.command[1] if own and self.command[1].endswith(".py") else ""


def parse(arguments: Sequence[str]) -> Request:
    """Split Outlive's own options from the command. Everything from the first other word on belongs to the program."""
    words = list(arguments)
    given: dict[str, Any] = {}
    while words and (option := _option(words[0])) is not None:
        word = words.pop(0)
        given[option.field] = _value(option, word, words)
    divided = words[:1] == ["--"]
    return Request(command_of(words[divided:], divided), Options(**given))


def _option(word: str) -> Option | None:
    """Find the option that a word is: a switch stands alone, the others may have a value behind "="."""
    name, given, _ = word.partition("=")
    for option in OPTIONS:
        if word in (option.name, option.short or option.name) or (
            given and name == option.name and option.takes_a_value
        ):
            return option
    return None


def _value(option: Option, word: str, words: list[str]) -> bool | float | str:
    """Read the value of an option, from behind "=" or from the next word, which is taken away."""
    _, given, value = word.partition("=")
    if option.usual:
        return _whole(option.name, value) if given else option.usual
    if not option.takes_a_value:
        return True
    if not given:
        value = words.pop(0) if words else ""
    if option.number:
        return _positive(option.name, value)
    if not value:
        raise UsageError(f"{option.name} needs {option.text}.", "See `outlive run --help`.")
    return value


def command_of(words: list[str], divided: bool) -> list[str]:
    """Make the command of what stands behind the options; a script, or a module, is run by the Python that Outlive runs on."""
    if not words:
        raise UsageError("No command given.", "For example:  outlive run train.py --epochs 3")
    first = words[0]
    if first in ("-m", "-c") and len(words) < 2:
        raise UsageError(
            f"{first} needs an argument.", f"For example:  outlive run {first} package.module"
        )
    if first in ("-m", "-c"):
        return [sys.executable, *words]
    if first.startswith("-") and not divided:
        names = [option.name for option in OPTIONS]
        suggestion = did_you_mean(first, names, "`outlive run --help` lists them.")
        raise UsageError(
            f"There is no option {first}.",
            f"{suggestion} To pass an option to Python:  outlive run -- python {first} …",
        )
    if first.endswith(".py") and not first.startswith("-"):
        return [sys.executable, *words]
    return words


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


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 100):
        raise UsageError(
            f"{name} needs a whole number from 1 to 100, not {text!r}.",
            f"For example:  outlive run {name}=3 train.py",
        )
    return int(text)
