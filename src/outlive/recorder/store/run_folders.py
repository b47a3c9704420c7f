"""Where runs are kept: one private folder each.

Imported before the program is started: nothing heavier than ``os``.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from outlive.errors import NothingRecorded, OutliveError, did_you_mean_path
from outlive.inside.machine.host import Host
from outlive.inside.notes import links

#: Ring files are written through a memory map. A file system that may refuse a write to space that it has already handed out
#: (copy on write, network) would end the program with SIGBUS; on these it cannot happen after posix_fallocate.
SAFE_TO_MAP = frozenset({"ext2", "ext3", "ext4", "xfs", "tmpfs", "ramfs", "overlay", "f2fs"})

#: Says that a folder was made by Outlive: without it (or a log of ours, in older records) nothing in it is ever removed.
MARK_NAME = "made-by-outlive"
#: Two processes' rings (1 MB each with all that belongs to it), the log and the verdict.
ROOM_FOR_A_RUN = 3_000_000

LOG_NAME = "supervisor.log"
VERDICT_NAME = "verdict.json"
PAGE_NAME = "verdict.html"
STDERR_NAME = "stderr.tail"
RINGS_NAME = "rings"
#: Rings that cannot lie in the run's folder lie in shared memory under such a name, until the run ends.
SHARED_RINGS_PREFIX = "outlive-"
SHARED_MEMORY = "/dev/shm"
SEALED_NAME = "sealed"
#: What the next kernel of a notebook is to show of a death between two cells.
NOTE_NAME = "note.txt"

#: A kernel that a program started has its record within the program's.
KERNEL_PREFIX = "kernel-"

HEX_DIGITS = frozenset("0123456789abcdef")

#: A name holds the microsecond and a byte of chance.
TRIES_FOR_A_NAME = 20

#: Links in the folders of two attempts, from each to the other, and what was named as bad between them.
PREVIOUS_NAME = "previous"
NEXT_NAME = "next"
QUARANTINE_NAME = "quarantine.jsonl"
#: A link in the folder of a rank, to the name of its job: the ranks of one job are not tidied away while others of it end.
JOB_NAME = "job"


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
    make_private_folder(parent)
    _refuse_foreign(parent)
    _refuse_full(parent)
    folder = _make_new(parent)
    return folder, _rings_for(folder, host)


def _make_new(parent: str) -> str:
    """Make a folder of a new name. The ranks of a job begin at the same moment: another one may have taken the name."""
    for _ in range(TRIES_FOR_A_NAME):
        folder = os.path.join(parent, _new_name())
        try:
            _make_marked(folder)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(errno.EEXIST, "no name was free")


def make_private_folder(path: str) -> None:
    """Make a folder, and those above it that are missing, for this user alone whatever the umask. One that is there stays as it is.

    (``os.makedirs`` gives its mode to the last of them only; in a home that others can write they could put their own in its place.)
    """
    above = os.path.dirname(path)
    if above != path and not os.path.isdir(above):
        make_private_folder(above)
    try:
        os.mkdir(path, 0o700)
    except OSError:
        if not os.path.isdir(path):
            raise


def _new_name() -> str:
    """The moment, and some chance: names sort by age."""
    now = time.time()
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return f"{moment}-{int(now % 1 * 1_000_000):05x}{os.urandom(1).hex()}"


def is_run_name(name: str) -> bool:
    """Tell whether a folder is named as ours are: the day, the second, and some chance; perhaps behind the prefix of a temporary one."""
    parts = name.removeprefix(_temporary_prefix()).split("-")
    if len(parts) != 3:
        return False
    day, second, chance = parts
    digits = len(day) == 8 and len(second) == 6 and (day + second).isdecimal()
    return digits and len(chance) >= 4 and HEX_DIGITS.issuperset(chance)


def temporary_run(host: Host) -> tuple[str, str]:
    """A folder of last resort, when the home cannot be written."""
    folder = os.path.join(_temporary_parent(), f"{_temporary_prefix()}{_new_name()}")
    _make_marked(folder)
    return folder, _rings_for(folder, host)


def _make_marked(folder: str) -> None:
    os.mkdir(folder, 0o700)
    write_private(os.path.join(folder, MARK_NAME), b"")


def _temporary_parent() -> str:
    return os.environ.get("TMPDIR") or "/tmp"


def _temporary_prefix() -> str:
    """Names the user and the home that this stands for: another home's runs are not ours."""
    import zlib

    return f"outlive-{os.getuid()}-{zlib.crc32(os.fsencode(home())):08x}-"


def _rings_for(folder: str, host: Host) -> str:
    mount = host.filesystem_of(folder)
    if mount is not None and mount.kind not in SAFE_TO_MAP and os.path.isdir(SHARED_MEMORY):
        rings = os.path.join(
            SHARED_MEMORY, f"{SHARED_RINGS_PREFIX}{os.getuid()}-{os.urandom(6).hex()}"
        )
    else:
        rings = os.path.join(folder, RINGS_NAME)
    os.mkdir(rings, 0o700)
    tell_inside(rings, links.PYTHON, sys.executable)
    return rings


def shared_rings(named: object) -> str | None:
    """The rings in shared memory that a record names, if they are this user's; nothing else: what is in a record may be forged, and whoever
    reads one also masks the files of its rings."""
    folder, name = os.path.split(str(named))
    ours = folder == SHARED_MEMORY and name.startswith(f"{SHARED_RINGS_PREFIX}{os.getuid()}-")
    return str(named) if ours and os.path.isdir(str(named)) and not os.path.islink(str(named)) else None  # fmt: skip


def part_of_run(rings: str, name: str) -> tuple[str, str]:
    """A folder for a process that is watched by itself, within the record of the run that it belongs to."""
    folder = os.path.join(rings, name)
    os.mkdir(folder, 0o700)
    inner = os.path.join(folder, RINGS_NAME)
    os.mkdir(inner, 0o700)
    for asked in links.FOR_ALL_PROCESSES:
        link = links.link_in(rings, asked)
        if os.path.islink(link):
            tell_inside(inner, asked, os.readlink(link))
    return folder, inner


def _refuse_foreign(folder: str) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise OutliveError(
            f"{folder} does not belong to this user.", "Set OUTLIVE_HOME to a folder of your own."
        )


def _refuse_full(folder: str) -> None:
    """Raise where a run would be recorded in part only: without rings a verdict has to do without what was recorded in the program."""
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize
    if room.f_blocks and free < ROOM_FOR_A_RUN:
        raise OSError(errno.ENOSPC, f"only {free // 1000} kB are free there")


def list_runs() -> list[str]:
    """Names of all runs, oldest first: those below the home, and those that had to be recorded elsewhere."""
    prefix = _temporary_prefix()
    return sorted([*home_runs(), *_temporary_runs()], key=lambda name: name.removeprefix(prefix))


def folder_of(name: str) -> str:
    """The folder of a run that is listed."""
    temporary = name.startswith(_temporary_prefix())
    return os.path.join(_temporary_parent() if temporary else runs_folder(), name)


def home_runs() -> list[str]:
    """Names of the runs below the home, oldest first. Other folders there are somebody else's."""
    try:
        with os.scandir(runs_folder()) as entries:
            return sorted(
                entry.name
                for entry in entries
                if is_run_name(entry.name) and entry.is_dir(follow_symlinks=False)
            )
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


#: The newest run, where a name is asked for.
LAST = "last"


def find_run(name: str | None) -> str:
    """The folder of a run: the newest (no name, or ``last``), or the one that is named (a path, or the beginning or the last part of a name)."""
    known = list_runs()
    if name is None or (name == LAST and not os.path.isfile(os.path.join(name, LOG_NAME))):
        if not known:
            raise NothingRecorded(
                f"No runs recorded yet (looked in {runs_folder()}).",
                "Run your program once with:  outlive run train.py",
            )
        return folder_of(known[-1])
    if os.path.isfile(os.path.join(name, LOG_NAME)):
        return os.path.abspath(name)
    fitting = (
        [run for run in known if run == name]
        or [run for run in known if run.startswith(name)]
        or [run for run in known if last_part(run) == name]
    )
    if len(fitting) == 1:
        return folder_of(fitting[0])
    problem = (
        f"{len(fitting)} runs begin with {name!r}." if fitting else f"There is no run {name!r}."
    )
    hint = "`outlive runs` lists them."
    raise NothingRecorded(problem, hint if fitting else did_you_mean_path(name, hint))


def last_part(name: str) -> str:
    """Give the part of a run's name that is chance: short, and enough to name it."""
    return name.rpartition("-")[2]


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


def job_of(folder: str) -> str:
    """The job that a run is a rank of, or nothing."""
    try:
        return os.readlink(os.path.join(folder, JOB_NAME))
    except OSError:
        return ""


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


def write_private(path: str, content: str | bytes) -> None:
    """Write a file that only this user can read, over nothing that is a link."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    handle = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def tell_inside(rings: str, link: links.Link, text: str = "on") -> None:
    """Tell the recorder in the program's processes something."""
    write_link(links.link_in(rings, link), text)


def write_link(path: str, text: str) -> None:
    """A short text as the target of a link that leads nowhere, over what was there."""
    new = f"{path}.{os.getpid()}"
    os.symlink(text, new)
    os.replace(new, path)
