"""The first line of a verdict: which program ended, after how long, and how."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from outlive.model.events import Program
from outlive.model.findings import OF_A_NOTEBOOK, EndedBy, Ending, EndingKind

#: What a program is called whose command is not known.
UNNAMED = "the program"

#: Signals by which a process reports its own fault.
CRASHES = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})

#: How people say that a program was ended by a signal.
ENDED = {
    "SIGKILL": "was killed",
    "SIGTERM": "was terminated",
    "SIGINT": "was interrupted",
    "SIGHUP": "was hung up on",
}

LASTED = re.compile(r"( after \d{1,12}(?:\.\d{1,3})? s)( \([^()]{1,200}\))?$")


def headline(ending: Ending, name: str = UNNAMED) -> str:
    """Say in one line how a program ended: "train.py was killed after 6.6 s: out of memory (SIGKILL)".

    The sentence is made where the ending is told in the usual words; whoever saw something else says it in words of his own.
    """
    if OF_A_NOTEBOOK in ending.detail:  # two ends in one
        return ending.detail
    if ending.kind is EndingKind.HANG and ending.detail:
        return f"{name} is {ending.detail}"
    if ending.kind is EndingKind.SUCCESS:
        return f"{name} {ending.detail or 'finished'}"
    lasted, aside = _lasted_and_aside(ending.detail)
    if ending.signal and ending.detail in ("", f"ended by {ending.signal}{lasted}{aside}"):
        return f"{name} {_by_signal(ending, ending.signal, lasted)}{aside}"
    if ending.detail == f"exit status {ending.exit_code}{lasted}{aside}":
        if ending.kind is EndingKind.EXCEPTION:
            how = f"failed{lasted}: uncaught exception (exit status {ending.exit_code})"
            return f"{name} {how}{aside}"
        return f"{name} exited with status {ending.exit_code}{lasted}{aside}"
    said = ending.detail or ending.kind.value
    return said if name == UNNAMED else f"{name}: {said}"


def _lasted_and_aside(detail: str) -> tuple[str, str]:
    """Find " after 6.6 s" and what is said in brackets behind it."""
    found = LASTED.search(detail)
    return (found[1], found[2] or "") if found else ("", "")


def _by_signal(ending: Ending, signal: str, lasted: str) -> str:
    if ending.by is EndedBy.KERNEL_OOM:
        return f"was killed{lasted}: out of memory ({signal})"
    if signal in CRASHES:
        return f"crashed{lasted} ({signal})"
    who = " by another process" if ending.by is EndedBy.PROCESS else ""
    return f"{ENDED.get(signal, 'was ended')}{who}{lasted} ({signal})"


def name_of(program: Program) -> str:
    """Name what was run: a kernel by its notebook, anything else by its command."""
    return kernel_name(program.notebook) or program_name(program.command)


def kernel_name(notebook: str) -> str:
    """Name the kernel of a notebook, if that is known."""
    return f"the kernel of {os.path.basename(notebook)}" if notebook else ""


def program_name(command: Sequence[str]) -> str:
    """Name a program as its author would: its script or module, not the Python that runs it."""
    if not command:
        return UNNAMED
    for before, word in zip(("", *command), command, strict=False):
        if before == "-m":
            return word
        if before == "-c":
            return f"{os.path.basename(command[0])} -c"
        if word.endswith((".py", ".ipynb")):
            return os.path.basename(word)
    return os.path.basename(command[0])


def short_command(command: Sequence[str]) -> str:
    """Write a command without the folders of Python and of the script; a Python that runs a script is not worth a word."""
    program, *words = command or ("",)
    program = os.path.basename(program)
    if program.startswith("python") and words and words[0].endswith(".py"):
        program, words = os.path.basename(words[0]), words[1:]
    return " ".join([program, *words])
