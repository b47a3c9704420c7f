"""Where runs are kept: one private folder each, the oldest removed, never the newest.

Imported before the program is started: nothing heavier than ``os``.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from outlive.errors import NothingRecorded, OutliveError
from outlive.host import Host

#: Ring files are written through a memory map. A file system that may refuse a write to space that it has already handed out
#: (copy on write, network) would end the program with SIGBUS; on these it cannot happen after posix_fallocate.
SAFE_TO_MAP = frozenset({"ext2", "ext3", "ext4", "xfs", "tmpfs", "ramfs", "overlay", "f2fs"})

KEEP_RUNS = 100
KEEP_BYTES = 500_000_000

LOG_NAME = "supervisor.log"
VERDICT_NAME = "verdict.json"
PAGE_NAME = "verdict.html"
STDERR_NAME = "stderr.tail"
RINGS_NAME = "rings"
SEALED_NAME = "sealed"
#: A link in the folder of rings: `--deep` was asked for.
DEEP_NAME = "deep"

#: A kernel that a program started has its record within the program's.
KERNEL_PREFIX = "kernel-"

#: A link beside the rings: the Python that Outlive runs on, for a supervisor that the program's own processes start.
PYTHON_NAME = "python"

#: A link beside the rings: the brake is on. Known to ``inside/agent.py``.
BRAKE_NAME = "brake"

#: A link beside the rings: the pipelines are to fit the memory. Known to ``inside/agent.py``.
BOUND_NAME = "bound"

#: Links beside the rings of an attempt that `--heal` has started. Known to ``inside/agent.py``.
TRIM_NAME = "trim"
SKIP_NAME = "skip"
SPAWN_NAME = "spawn"

#: What was asked of the run goes for each of its processes, also for one that has a folder of its own.
FOR_ALL_PROCESSES = (BOUND_NAME, TRIM_NAME, SKIP_NAME, SPAWN_NAME)

#: Links in the folders of two attempts, from each to the other, and what was named as bad between them.
PREVIOUS_NAME = "previous"
NEXT_NAME = "next"
QUARANTINE_NAME = "quarantine.jsonl"


def home() -> str:
    """The folder below which everything is recorded: $OUTLIVE_HOME, else the user's state directory."""
    chosen = os.environ.get("OUTLIVE_HOME")
    if chosen:
        return os.path.abspath(chosen)
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(os.path.abspath(state), "outlive")


def runs_folder() -> str:
    """The folder of all runs."""
    return os.path.join(home(), "runs")


def new_run(host: Host) -> tuple[str, str]:
    """Make a private folder for a run: its path, and the folder for the rings of its processes."""
    parent = runs_folder()
    os.makedirs(parent, mode=0o700, exist_ok=True)
    _refuse_foreign(parent)
    folder = os.path.join(parent, _new_name())
    os.mkdir(folder, 0o700)
    return folder, _rings_for(folder, host)


def _new_name() -> str:
    """The moment, and some chance: names sort by age."""
    now = time.time()
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return f"{moment}-{int(now % 1 * 1_000_000):05x}{os.urandom(1).hex()}"


def temporary_run(host: Host) -> tuple[str, str]:
    """A folder of last resort, when the home cannot be written."""
    folder = os.path.join(_temporary_parent(), f"{_temporary_prefix()}{_new_name()}")
    os.mkdir(folder, 0o700)
    return folder, _rings_for(folder, host)


def _temporary_parent() -> str:
    return os.environ.get("TMPDIR") or "/tmp"


def _temporary_prefix() -> str:
    """Names the user and the home that this stands for: another home's runs are not ours."""
    import zlib

    return f"outlive-{os.getuid()}-{zlib.crc32(os.fsencode(home())):08x}-"


def _rings_for(folder: str, host: Host) -> str:
    mount = host.filesystem_of(folder)
    if mount is not None and mount.kind not in SAFE_TO_MAP and os.path.isdir("/dev/shm"):
        rings = os.path.join("/dev/shm", f"outlive-{os.getuid()}-{os.urandom(6).hex()}")
    else:
        rings = os.path.join(folder, RINGS_NAME)
    os.mkdir(rings, 0o700)
    os.symlink(sys.executable, os.path.join(rings, PYTHON_NAME))
    return rings


def part_of_run(rings: str, name: str) -> tuple[str, str]:
    """A folder for a process that is watched by itself, within the record of the run that it belongs to."""
    folder = os.path.join(rings, name)
    os.mkdir(folder, 0o700)
    inner = os.path.join(folder, RINGS_NAME)
    os.mkdir(inner, 0o700)
    for asked in FOR_ALL_PROCESSES:
        link = os.path.join(rings, asked)
        if os.path.islink(link):
            write_link(os.path.join(inner, asked), os.readlink(link))
    return folder, inner


def _refuse_foreign(folder: str) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise OutliveError(
            f"{folder} is not a folder of this user.", "Set OUTLIVE_HOME to a folder of your own."
        )


def list_runs() -> list[str]:
    """Names of all runs, oldest first: those below the home, and those that had to be recorded elsewhere."""
    prefix = _temporary_prefix()
    return sorted([*_home_runs(), *_temporary_runs()], key=lambda name: name.removeprefix(prefix))


def folder_of(name: str) -> str:
    """The folder of a run that is listed."""
    temporary = name.startswith(_temporary_prefix())
    return os.path.join(_temporary_parent() if temporary else runs_folder(), name)


def _home_runs() -> list[str]:
    try:
        with os.scandir(runs_folder()) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _temporary_runs() -> list[str]:
    """Only folders of this user's own: anybody may make one with such a name."""
    found = []
    try:
        with os.scandir(_temporary_parent()) as entries:
            for entry in entries:
                if entry.name.startswith(_temporary_prefix()) and entry.is_dir(
                    follow_symlinks=False
                ):
                    mine = entry.stat(follow_symlinks=False).st_uid == os.geteuid()
                    if mine and os.path.isfile(os.path.join(entry.path, LOG_NAME)):
                        found.append(entry.name)
    except OSError:
        pass
    return found


def find_run(name: str | None) -> str:
    """The folder of a run: the newest, or the one that is named (a path, or the beginning of a name)."""
    known = list_runs()
    if name is None:
        if not known:
            raise NothingRecorded(
                f"Nothing has been recorded yet (looked in {runs_folder()}).",
                "Run your program once with:  outlive run train.py",
            )
        return folder_of(known[-1])
    if os.path.isfile(os.path.join(name, LOG_NAME)):
        return os.path.abspath(name)
    fitting = [run for run in known if run == name] or [
        run for run in known if run.startswith(name)
    ]
    if len(fitting) == 1:
        return folder_of(fitting[0])
    problem = (
        f"{len(fitting)} runs begin with {name!r}." if fitting else f"There is no run {name!r}."
    )
    raise NothingRecorded(problem, "`outlive runs` lists them.")


def relatives(folder: str) -> dict[str, dict[str, str]]:
    """With `--heal`: the attempts before and after this one, each with the remedy between them."""
    found = {}
    for key, name in (("healed_from", PREVIOUS_NAME), ("tried_again_as", NEXT_NAME)):
        try:
            run, _, remedy = os.readlink(os.path.join(folder, name)).partition(" ")
        except OSError:
            continue
        found[key] = {"run": run, "remedy": remedy}
    return found


def prune(newest: str) -> None:
    """Remove the oldest runs beyond the limits; never the newest, never one that is still going on."""
    total = 0
    for kept, name in enumerate(reversed(_home_runs())):
        folder = os.path.join(runs_folder(), name)
        total += folder_bytes(folder)
        if name == newest or (kept < KEEP_RUNS and total <= KEEP_BYTES):
            continue
        if not os.path.exists(os.path.join(folder, SEALED_NAME)) and _fresh(folder):
            continue
        remove(folder)


def _fresh(folder: str) -> bool:
    """Written to within the last day: perhaps still going on."""
    try:
        return time.time() - os.stat(os.path.join(folder, LOG_NAME)).st_mtime < 86_400
    except OSError:
        return False


def folder_bytes(folder: str) -> int:
    """What a run takes on disk."""
    total = 0
    for parent, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(parent, file)).st_blocks * 512
            except OSError:
                continue
    return total


def remove(folder: str) -> None:
    """Delete a run, following no link."""
    for parent, folders, files in os.walk(folder, topdown=False):
        for file in files:
            _quietly(os.unlink, os.path.join(parent, file))
        for inner in folders:
            path = os.path.join(parent, inner)
            _quietly(os.unlink if os.path.islink(path) else os.rmdir, path)
    _quietly(os.rmdir, folder)


def _quietly(act: object, path: str) -> None:
    try:
        act(path)  # type: ignore[operator]  # os.unlink or os.rmdir
    except OSError:
        pass


def write_private(path: str, content: str | bytes) -> None:
    """Write a file that only this user can read, over nothing that is a link."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    handle = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def write_link(path: str, text: str) -> None:
    """A short text as the target of a link that leads nowhere, over what was there."""
    new = f"{path}.{os.getpid()}"
    os.symlink(text, new)
    os.replace(new, path)
