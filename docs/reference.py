"""The reference: every command, option, exit status and environment variable, from the command line itself and the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

import outlive
from outlive.cli.command_line import cli
from outlive.cli.contract import STATUSES, STATUSES_OF_RUN, VARIABLES


def commands(
    group: click.Group = cli, above: tuple[str, ...] = ("outlive",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands with their full names, the ones within a group after it."""
    for name, command in group.commands.items():
        names = (*above, name)
        yield names, command
        if isinstance(command, click.Group):
            yield from commands(command, names)


def page_name(command: str) -> str:
    """Where a command of the top level is explained."""
    return f"reference-{command}"


def of_command(name: str) -> str:
    """The page of one command, and of those below it, as Markdown."""
    parts = []
    for names, command in commands():
        if names[1] == name:
            heading = "#" * (len(names) - 1)
            parts += [f"{heading} {' '.join(names)}", *_command(" ".join(names), command)]
    return "\n\n".join(parts) + "\n"


def reference() -> str:
    """The page that leads to those of the commands, with all that is not a command, as Markdown."""
    rows = [
        f"- [outlive {name}]({page_name(name)}.page): {command.get_short_help_str(200)}"
        for name, command in cli.commands.items()
    ]
    parts = ["# Reference", "Made from the command line itself.", "## Commands", "\n".join(rows)]
    names = [name for name in outlive.__all__ if not name.startswith("_")]
    parts += [
        "## Python",
        _table("name", ((f"`outlive.{name}`", first_line(name)) for name in names)),
    ]
    parts += [
        "## pytest",
        _table(
            "option",
            iter([("`--outlive`", "record this run; if it dies, say in which test, and why")]),
        ),
        "## Exit statuses",
        _table("status", ((str(status), says) for status, says in STATUSES.items())),
        "`outlive run` returns the status of the program, and ends by the same signal after a death by signal. Without a program:",
        _table("status", ((str(status), says) for status, says in STATUSES_OF_RUN.items())),
    ]
    for title, wanted in (
        ("Environment variables for you to set", lambda it: it.by_you),
        ("Environment variables that Outlive sets", lambda it: it.by_outlive),
        ("Environment variables of others that Outlive reads", lambda it: not (it.by_you or it.by_outlive)),
    ):  # fmt: skip
        rows = ((f"`{it.name}`", it.says) for it in VARIABLES if wanted(it))
        parts += [f"## {title}", _table("variable", rows)]
    return "\n\n".join(parts) + "\n"


def first_line(name: str) -> str:
    """What a public name is, in its own words."""
    return (inspect.getdoc(getattr(outlive, name)) or "").partition("\n\n")[0]


def _table(name: str, rows: Iterator[tuple[str, str]]) -> str:
    lines = [f"| {name} | what it is |", "|---|---|"]
    return "\n".join([*lines, *(f"| {left} | {_cell(right)} |" for left, right in rows)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _command(name: str, command: click.Command) -> list[str]:
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"```console\n$ {name} {usage}\n```", _help(command.help or "")]
    options = [it for it in command.params if isinstance(it, click.Option) and not it.hidden]
    if options:
        parts.append(_table("option", ((_names(it), _says(it, context)) for it in options)))
    if isinstance(command, click.Group):
        inner = ", ".join(f"`{name} {sub}`" for sub in command.commands)
        parts.append(f"Its commands: {inner}.")
    return parts


def _help(text: str) -> str:
    """Click's help as Markdown: what stands after a backspace keeps its lines."""
    parts = []
    for block in inspect.cleandoc(text).split("\n\n"):
        if block.lstrip().startswith("\b"):
            lines = block.partition("\b")[2].strip("\n")
            parts.append(f"```console\n{inspect.cleandoc(lines)}\n```")
        else:
            parts.append(re.sub(r"\s*\n\s*", " ", block).replace("<", "&lt;"))
    return "\n\n".join(parts)


def _names(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    what = option.metavar or option.make_metavar(click.Context(click.Command("x")))
    return f"{names} `{_cell(what)}`"


def _says(option: click.Option, context: click.Context) -> str:
    says = option.help or ""
    default = option.get_default(context)
    if option.show_default and default not in (None, False, ()):
        says += f" Default: {default}."
    return says
