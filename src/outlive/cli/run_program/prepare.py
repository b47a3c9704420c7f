"""Before the program starts: where its run is recorded, and what the recorder inside it is told to do."""

from __future__ import annotations

import os
import sys

from outlive.inside.machine.host import Host
from outlive.inside.notes import links
from outlive.recorder.store import run_folders
from outlive.recorder.supervisor import hold_closed_streams

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.cli.run_program.request import Options, Request
    from outlive.keep.heal.heal import State


class Record:
    """The two folders of one recorded run."""

    __slots__ = ("folder", "rings")

    def __init__(self, folder: str, rings: str) -> None:
        self.folder = folder
        self.rings = rings  #: of its processes

    @property
    def name(self) -> str:
        """The name of the run."""
        return os.path.basename(self.folder)

    @property
    def verdict_path(self) -> str:
        """The file that keeps its verdict."""
        return os.path.join(self.folder, run_folders.VERDICT_NAME)


class Run:
    """One run of a program: what was asked for, and where it is recorded."""

    __slots__ = ("command", "healing", "host", "options", "record", "warning")

    def __init__(
        self, request: Request, host: Host, record: Record | None, warning: str, healing: State | None
    ) -> None:  # fmt: skip
        self.command = request.command
        self.options = request.options
        self.host = host
        self.record = record
        self.warning = warning  #: why it is not recorded where it should be
        self.healing = healing  #: of this attempt, where `--heal` was asked for

    @property
    def quiet(self) -> bool:
        """Whether nothing is said of the program's end."""
        return self.options.quiet or sys.stderr is None


def say(text: str) -> None:
    """Write a line for the person to stderr, whatever became of Python's own streams.

    Here, and not in a module of its own: each one that is loaded before the program starts is paid for by every run.
    """
    try:
        os.write(2, (text + "\n").encode())
    except OSError:
        pass


def prepare(request: Request) -> Run:
    """Make the folders of a run, and leave there what the recorder inside the program shall do."""
    require_script(request.script)
    options = request.options
    if options.otel:
        from outlive.report.telemetry.send import require

        require()
    hold_closed_streams()
    left = _left_by_the_attempt_before() if options.heal else ""
    host = Host()
    record, warning = _record(host, options)
    healing = None
    if record is not None:
        _switch_on(options, record.rings)
        healing = _healing(options, left, record)
    return Run(request, host, record, warning, healing)


def require_script(script: str) -> None:
    """Say that a script is not there before anything runs: afterwards only an exit status would be left to explain."""
    if not script or os.path.lexists(script):
        return
    from outlive.errors import UsageError, did_you_mean

    folder, _, name = script.rpartition("/")
    try:
        scripts = [entry for entry in os.listdir(folder or ".") if entry.endswith(".py")]
    except OSError:
        raise UsageError(f"There is no folder {folder!r}, so {name!r} cannot be run.") from None
    near = did_you_mean(name, scripts)
    hint = near or f"Check the name and the working directory: {os.getcwd()}"
    raise UsageError(f"There is no {name!r} in {folder or 'this folder'}.", hint)


def _left_by_the_attempt_before() -> str:
    from outlive.keep.heal.attempt import handed_over

    return handed_over()


def _healing(options: Options, left: str, record: Record) -> State | None:
    if not options.heal:
        return None
    from outlive.keep.heal.attempt import begun

    return begun(left, options.heal, record.folder, record.rings)


def _record(host: Host, options: Options) -> tuple[Record | None, str]:
    """Decide where to record, and say why it cannot be done where it should."""
    if options.no_record:
        return None, ""
    try:
        return Record(*run_folders.new_run(host)), ""
    except Exception as error:  # whatever it is: the program runs
        reason = getattr(error, "strerror", None) or str(error)
    try:
        record = Record(*run_folders.temporary_run(host))
    except Exception:
        return None, f"nothing is recorded: cannot write below {run_folders.home()} ({reason})."
    where = f"this run is recorded in {record.folder}"
    return record, f"cannot write below {run_folders.home()} ({reason}); {where}."


def _switch_on(options: Options, rings: str) -> None:
    """Tell the recorder inside the program what was asked of it."""
    for asked, link in (
        (options.brake, links.BRAKE),
        (options.bound, links.BOUND),
        (options.deep, links.DEEP),
    ):
        if asked:
            run_folders.tell_inside(rings, link)
    rehearsal = os.environ.pop(links.REHEARSE_VARIABLE, "")
    if rehearsal:
        run_folders.tell_inside(rings, links.REHEARSE, rehearsal)
