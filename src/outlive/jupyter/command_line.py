"""`outlive jupyter enable | disable | status`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from outlive.jupyter import enabling


@click.group("jupyter", short_help="Notebooks: the cell that died says why.")
def jupyter() -> None:
    """Enable or disable Outlive for Jupyter: JupyterLab, Notebook, and every launcher of kernels.

    A watched kernel that dies answers the running cell with the verdict: cause, line of the cell, fix. In a virtual environment
    the switch is that environment's (--env), otherwise the user's (--user). Programs that run notebooks (papermill, nbclient, nbconvert,
    `jupyter execute`) need nothing enabled: `outlive run` in front of them watches their kernels.
    """


def _scope_options(function: Any) -> Any:
    for name, words in (
        ("user", "For this user, in every environment."),
        ("env", "For this environment."),
    ):
        function = click.option(f"--{name}", "where", flag_value=name, help=words)(function)
    return function


@jupyter.command(short_help="Watch every kernel from now on.")
@_scope_options
@click.option(
    "--brake",
    is_flag=True,
    help="Near the memory limit, stop the running cell with an exception, so that all variables survive.",
)
@click.option(
    "--foresee",
    is_flag=True,
    help="Before a cell runs, say above its output which line will fail: an undefined name, shapes or types that do not fit, an array larger than the memory that is left.",
)
def enable(where: str | None, brake: bool, foresee: bool) -> None:
    """Watch every kernel that is started from now on. Restart servers that are running. Enabling twice changes nothing."""
    scope = enabling.scopes()[where or enabling.usual_scope()]
    for path in enabling.enable(scope, brake, foresee):
        print(path)
    print("Outlive is on. Restart your Jupyter server.", file=sys.stderr)


@jupyter.command(short_help="Stop watching kernels, and remove all traces.")
@_scope_options
def disable(where: str | None) -> None:
    """Undo `outlive jupyter enable`: everything that it wrote is removed. Without an option, for the user and the environment."""
    chosen = [scope for name, scope in enabling.scopes().items() if where in (None, name)]
    removed = [path for scope in chosen for path in enabling.disable(scope)]
    for path in removed:
        print(path)
    print("outlive: removed." if removed else "outlive: it was not enabled.", file=sys.stderr)


@jupyter.command(short_help="Show what is enabled, and where.")
def status() -> None:
    """Show what is enabled for the user and for the environment. Exit status: 0 when kernels are watched, 1 when not."""
    watched = False
    for scope in enabling.scopes().values():
        for path, does in scope.files:
            there = os.path.exists(path)
            watched = watched or (there and path == scope.server)
            print(f"{scope.name:<5} {'on ' if there else 'off'} {does:<38} {path}")
    sys.exit(0 if watched else 1)
