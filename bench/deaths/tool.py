"""What a tool is to this benchmark: how it is put around a program, and what it answers when the program has ended.

A tool is a file in `tools/` (or anywhere: `--tool path/to/mine.py`) with one class `Adapter` that inherits `Tool`.
"""

from __future__ import annotations

import importlib.util
import signal
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).parent / "tools"


class WrongUsage(Exception):
    """For the person at the command line, in one sentence."""


@dataclass(frozen=True)
class Answer:
    """A cause by its public name, or nothing; a line of the victim's own file, or nothing."""

    cause: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Ended:
    """How a program ended, as whoever started it can see it, and where a tool may have left what it knows."""

    status: int  #: as `subprocess` has it: negative is a signal
    stderr: str
    script: str  #: the name of the victim's file
    folder: Path  #: the tool's own; whatever it wrote below `environment(folder)`
    hung: bool = False  #: it stood still until it was ended from outside
    kills_in_group: int | None = None  #: the kernel's count for the memory cgroup, if it had one

    @property
    def signal(self) -> int | None:
        """What killed it; 128 + n is how a shell (and a container) says the same."""
        if self.status < 0:
            return -self.status
        return self.status - 128 if 128 < self.status < 128 + signal.NSIG else None


class Tool:
    """Inherit, and change what differs. Tools that are put around the program in the same way share its death."""

    #: options of the Python that runs the victim
    python: tuple[str, ...] = ()
    #: what ends a program that stands still
    ends_a_hang_with: signal.Signals = signal.SIGKILL

    def wrap(self, hang_after: float | None) -> list[str]:
        """What stands before the victim's command. It must hand on the exit status."""
        return []

    def environment(self, folder: Path) -> dict[str, str]:
        """Variables for the tool; ``folder`` is its own, and empty."""
        return {}

    def is_ready(self, folder: Path) -> bool:
        """Has the tool taken hold of the running program, so that it can be killed?"""
        return True

    def has_told_of_a_hang(self, folder: Path) -> bool | None:
        """True ends the hang at once, False waits on; None: it is ended when it has stood still for a while."""
        return None

    def answer(self, ended: Ended) -> Answer:
        raise NotImplementedError


def load(name: str) -> Tool:
    """An adapter by its name, or by the path of its file."""
    path = Path(name) if name.endswith(".py") else TOOLS / f"{name}.py"
    if not path.exists():
        raise WrongUsage(
            f"there is no tool {name}; there are: {', '.join(names())}, or a path to a .py file"
        )
    spec = importlib.util.spec_from_file_location(f"deaths_tool_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    adapter: Tool = module.Adapter()
    return adapter


def names() -> list[str]:
    return sorted(path.stem for path in TOOLS.glob("*.py"))
