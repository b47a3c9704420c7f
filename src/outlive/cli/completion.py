"""`outlive completion`: the script for a shell."""

from __future__ import annotations

import click

from outlive.errors import UsageError


@click.command(short_help="Print the shell completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the completion script: put  eval "$(outlive completion bash)"  into ~/.bashrc (zsh and fish likewise)."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise UsageError(f"There is no completion for {shell}.")
    print(found(context.find_root().command, {}, "outlive", "_OUTLIVE_COMPLETE").source())
