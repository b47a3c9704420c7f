"""Start the program, before anything heavy is imported."""

from __future__ import annotations

import os

from outlive.cli.run_program.prepare import say
from outlive.errors import OutliveError, did_you_mean, did_you_mean_path
from outlive.recorder.baseline import Baseline
from outlive.recorder.supervisor import NotStarted, Supervisor

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlive.cli.run_program.prepare import Record, Run
    from outlive.keep.heal.attempt import Attempt


class Started:
    """A program that runs: its supervisor, the world as it was before, and the attempt that it is, if it may be healed."""

    __slots__ = ("attempt", "baseline", "supervisor")

    def __init__(self, supervisor: Supervisor, baseline: Baseline, attempt: Attempt | None) -> None:
        self.supervisor = supervisor
        self.baseline = baseline
        self.attempt = attempt


class CannotStart(OutliveError):
    """The command cannot be started; the status is the one that a shell gives."""

    def __init__(self, name: str, error: NotStarted) -> None:
        super().__init__(f"Cannot run {name!r}: {error}.", _hint(name))
        self.exit_code = error.status


def _hint(name: str) -> str:
    """Suggest what else may have been meant: a file beside it, or a command of the PATH."""
    if os.path.isfile(name):
        return f"It is not executable:  chmod +x {name}"
    if "/" in name:
        return did_you_mean_path(name, "Is it spelled correctly?")
    commands = [*os.listdir(os.curdir), *_commands()]
    return did_you_mean(name, commands, "Is it installed and spelled correctly?")


def _commands() -> Iterator[str]:
    for folder in os.get_exec_path():
        try:
            yield from os.listdir(folder)
        except OSError:
            pass  # many a PATH names folders that are not there


def start(run: Run, arguments: Sequence[str]) -> Started:
    """Start the program of a run; ``arguments`` are those of `outlive run`, for another attempt."""
    supervisor = _supervisor(run)
    baseline = Baseline(run.host)
    try:
        supervisor.start(os.environ)
    except NotStarted as error:
        if run.record is not None:
            _remove(run.record)
        raise CannotStart(run.command[0], error) from error
    if run.warning and not run.options.quiet:
        from outlive.report.text import visible

        say(f"outlive: {visible(run.warning)}")  # it names a folder
    return Started(supervisor, baseline, _attempt(run, supervisor, arguments))


def _supervisor(run: Run) -> Supervisor:
    rings = None if run.options.outside or run.record is None else run.record.rings
    healing = run.healing
    mask = healing.mask if healing is not None and healing.tried else None
    return Supervisor(run.command, rings, healing is not None, mask)


def _attempt(run: Run, supervisor: Supervisor, arguments: Sequence[str]) -> Attempt | None:
    if run.healing is None or run.record is None:
        return None
    from outlive.keep.heal.attempt import Attempt

    told = (lambda text: None) if run.options.quiet else say
    folder, brake_on = run.record.folder, run.options.brake
    return Attempt(supervisor, list(arguments), folder, run.healing, brake_on, told)


def _remove(record: Record) -> None:
    from outlive.recorder.store.removal import remove_run, remove_shared_rings

    remove_shared_rings(record.rings)
    remove_run(record.folder)
