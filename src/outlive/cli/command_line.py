"""The command line, but for the start of a run: one module a command, loaded when it is asked for."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence

import click

from outlive import __version__
from outlive.cli.contract import epilog

#: Command -> where it is, in the order of the help. To load all of them takes three times as long as one needs.
COMMANDS = {
    "run": "outlive.cli.run:run_",
    "why": "outlive.cli.why:why",
    "fix": "outlive.cli.fix:fix",
    "top": "outlive.cli.top:top",
    "runs": "outlive.cli.runs:list_",
    "compare": "outlive.cli.compare:compare",
    "doctor": "outlive.cli.doctor:doctor",
    "lint": "outlive.cli.lint:lint",
    "scan": "outlive.cli.scan:scan",
    "rehearse": "outlive.cli.rehearse:rehearse",
    "plan": "outlive.cli.plan:plan",
    "detect": "outlive.cli.detect:detect",
    "shrink": "outlive.cli.shrink:shrink",
    "jupyter": "outlive.jupyter.command_line:jupyter",
    "explain": "outlive.cli.explain:explain",
    "completion": "outlive.cli.completion:completion",
}


class Commands(MutableMapping[str, click.Command]):
    """The commands by their names; none is loaded before it is asked for."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)

    def __getitem__(self, name: str) -> click.Command:
        module, _, attribute = self._places[name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, name: str, command: click.Command) -> None:
        raise TypeError("a command is added to the table of COMMANDS")

    def __delitem__(self, name: str) -> None:
        del self._places[name]


class InOrder(click.Group):
    """Commands that the help lists in their own order: before, during, after, instead of a death."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Name all commands."""
        return list(self.commands)


@click.group(
    cls=InOrder,
    commands=Commands(COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=epilog(),
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="outlive")
def cli() -> None:
    """TensorFlow programs die without saying why. Outlive tells why, to the line.

    \b
      outlive run train.py          run a program; when it dies, say why
      outlive why                   the verdict of the last run again
      outlive doctor                will TensorFlow run on this machine?
      outlive lint PATH             find code that will crash or run out of memory
      outlive explain SLUG          the manual page of a cause, a check, a rule or a fix
    """


def run_command_line(arguments: Sequence[str]) -> int:
    """Hand over to click, with our statuses."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what it cannot show, it writes out
    try:
        status = cli.main(args=list(arguments), prog_name="outlive", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 2
    except click.ClickException as error:
        from outlive.report.text import shown

        words = io.StringIO()
        error.show(words)
        print(shown(words.getvalue()), end="", file=sys.stderr)  # it quotes what was typed
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0  # what a command gives to ``context.exit``
