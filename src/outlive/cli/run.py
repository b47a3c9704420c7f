"""`outlive run`: its help; the run itself takes a shorter way (``__main__``)."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from outlive.cli.run_program.request import OPTIONS
from outlive.cli.run_program.run import run


@click.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a program; when it dies, say why.",
)
@click.argument(
    "command",
    nargs=-1,
    type=click.UNPROCESSED,
    shell_complete=lambda context, parameter, incomplete: [CompletionItem(incomplete, type="file")],
)
@click.pass_context
def run_(context: click.Context, /, command: tuple[str, ...], **given: object) -> None:
    """Run a program as if Outlive were not there; when it dies, say how and why.

    \b
      outlive run train.py --epochs 3     a script, with the Python that Outlive runs on
      outlive run -m package.module       a module, likewise
      outlive run python3.12 train.py     any other Python, any virtual environment
      outlive run -- bash -c "a; b"       any command at all

    The program keeps its terminal, its input and output, its working directory, its signals and its exit status ($? is the
    same, also after a death by signal). The verdict is printed to stderr after the death and kept: `outlive why` shows it
    again. A healthy run prints one line, on a terminal only.

    The program sees two changed variables: PYTHONPATH (one folder is put first; it loads the recorder and takes itself out of
    sys.path) and OUTLIVE_RECORD_FOLDER. Everything that is put into the program is listed in docs/what-is-inside.md.
    """
    chosen = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
        for name, value in given.items()
        if value not in (None, False)
    ]
    context.exit(run([*chosen, *command]))


for _place, _option in enumerate(OPTIONS):
    _names = [name for name in (_option.short, _option.name) if name]
    run_.params.insert(
        _place,
        click.Option(
            _names,
            type=float if _option.number else str,
            metavar=_option.number or _option.text,
            help=_option.help,
        )
        if _option.number or _option.text
        else click.Option(_names, is_flag=True, help=_option.help),
    )
