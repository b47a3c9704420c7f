"""The command line, but for the start of a run: one module a command. This part may take its time to load."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from outlive import __version__
from outlive.commands.compare import compare
from outlive.commands.completion import completion
from outlive.commands.contract import epilog
from outlive.commands.detect import detect
from outlive.commands.doctor import doctor
from outlive.commands.explain import explain
from outlive.commands.lint import lint
from outlive.commands.plan import plan
from outlive.commands.run import run_
from outlive.commands.runs import list_
from outlive.commands.scan import scan
from outlive.commands.shrink import shrink
from outlive.commands.top import top
from outlive.commands.why import why
from outlive.jupyter.command_line import jupyter


@click.group(
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
      outlive doctor                will TensorFlow live on this machine?
      outlive lint PATH             what in this code will kill it, before it runs
      outlive explain SLUG          the manual page of a cause of death, a check or a rule
    """


for _command in (
    run_,
    why,
    top,
    list_,
    compare,
    doctor,
    lint,
    scan,
    plan,
    detect,
    shrink,
    jupyter,
    explain,
    completion,
):
    cli.add_command(_command)


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
        error.show()
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return 130
    return status if isinstance(status, int) else 0  # what a command gives to ``context.exit``
