"""The contract of whatever does the work of a job: inputs in, outcomes out, whatever its workers die of.

`LocalExecutor` keeps it with processes on this machine, `ShardExecutor` lease by lease, `RayExecutor` with actors on many machines. Detection, predict and
scan ask for nothing else.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from outlive.errors import OutliveError
from outlive.jobs.worker_death import Death
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TaskName:
    """What the worker is to do: the function that makes its task, and what to import before it is forked."""

    factory: str  #: ``module:function``
    arguments: Mapping[str, Any] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  #: of the environment


@dataclass(frozen=True, slots=True)
class Outcome:
    """One input, answered: a value, or the death that it is condemned for."""

    item: Any
    value: Any = None
    death: Death | None = None
    verdict: Verdict | None = None  #: where it was made beside the worker, on another machine
    host: str = ""  #: the machine, where it is another one


@dataclass(slots=True)
class Progress:
    """What a person wants to see while it goes on."""

    done: int = 0
    deaths: int = 0
    size: int = 1
    used_bytes: int = 0
    peak_bytes: int = 0
    busy_seconds: float = 0.0  #: in runs of the model, the first of each worker left out
    busy_inputs: int = 0
    budget_bytes: int | None = None
    in_hand: tuple[Any, ...] = ()  #: inputs that a worker has been busy with for long, as it says
    in_hand_seconds: float = 0.0
    isolated: bool = False  #: the workers have a cgroup of their own
    facts: Mapping[str, Any] = field(default_factory=dict)
    nodes: int = 0  #: machines that work on it, where there may be several
    lost_nodes: int = 0
    actors: int = 0


class Executor(Protocol):
    """The workers of one job, wherever they are."""

    @property
    def progress(self) -> Progress:
        """How far it is."""

    def run(self) -> Iterator[Sequence[Outcome]]:
        """Give each input's outcome once, in any order; sometimes none, so that the caller can look around.

        Raises ``CannotWork`` when the task fails with any input. Whoever closes the iterator early ends the workers.
        """

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""


class CannotWork(OutliveError):
    """The task itself fails, with any input."""

    def __init__(self, death: Death, doing: str) -> None:
        words = death.thrown.get("message", "").strip() if death.thrown else ""
        kind = death.thrown["type"].rpartition(".")[2] if death.thrown else _ending(death)
        refused = bool(death.thrown and death.thrown.get("slug"))  # in words for a person, by us
        told = words if refused else f"{kind}{': ' if words else ''}{words}"
        super().__init__(f"The worker could not {doing}: {told}")
        self.death = death
        self.doing = doing


class NoRoom(OutliveError):
    """There is less memory than any worker needs."""


def _ending(death: Death) -> str:
    if death.signal is not None:
        return f"it was ended by {signal.Signals(death.signal).name}"
    if death.stood_seconds is not None:
        return f"it was stuck for {death.stood_seconds:.0f} s"
    if death.exit_code is not None:
        return f"it ended with status {death.exit_code}"
    return "it was gone"
