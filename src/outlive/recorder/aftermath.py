"""Right after a bad end: the places that its last errors speak of, looked at from outside while they are as the program left them.

How much room is on the file system that had none, and what lies there; which library asks for the one that is missing; who made
the Python environment, and which other one has the module that is missing. Bounded in time and number; file systems of a network, which may not answer, are left alone.
"""

from __future__ import annotations

import glob
import os
import time

from outlive.data.formats.elf import needed_by
from outlive.inside.machine.host import Host, Mount, whole
from outlive.inside.notes import kinds
from outlive.model.patterns import bounded
from outlive.recorder.environment_maker import made_by
from outlive.recorder.other_pythons import python_with
from outlive.recorder.packages_beside import distributions
from outlive.recorder.sampler import NETWORK_KINDS
from outlive.recorder.store.entries import entries

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Payload = dict[str, Any]

SECONDS_FOR_A_FOLDER = 0.12
MOST_MOUNTS = 40
#: A file system that nothing points to is of interest only if less than this share of it is left.
LITTLE = 0.02
MOST_PILES = 4
MOST_LIBRARIES = 8

#: A file that TensorFlow, HDF5 or Python names beside the reason: ``path; No space left on device``, ``filename = 'path'``.
PATH_IN_TEXT = bounded(
    r"(?<![^\s;:'\"])((?:[^\s;:'\"/]{0,255}/){1,40}[^\s;:'\"/]{1,255}); (?:No space left|Disk quota)|filename = '([^']+)'"
)
MISSING_LIBRARY = bounded(r"(?<![^\s:'\"(])([^\s:'\"(]+\.so[\w.]*): cannot open shared object file")
MISSING_MODULE = bounded(r"No module named '(\w+)")
DIGITS = bounded(r"\d+")

#: Where the libraries of Python packages, of CUDA and of the system lie.
LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/cuda/lib64",
    "/opt/cuda/lib64",
)


def aftermath(host: Host, rings: str | None, folder: str) -> Payload:
    """Look around after the death, and return what is worth keeping as plain data."""
    notes = list(_notes(rings))
    errors = [note["error"] for note in notes if isinstance(note.get("error"), dict)]
    if not errors:
        return {}
    texts = "\n".join(str(error.get("message", "")) for told in errors for error in _chain(told))
    found: Payload = {"installation": _installation(notes)}
    rooms = list(_rooms(host, notes, errors, folder))
    if rooms:
        found["rooms"] = rooms
    if ".so" in texts:
        found["libraries"] = _libraries(notes, errors, folder)
        nearby = [os.path.dirname(path) for path, _ in found["libraries"]]
        found["found"] = _searched(
            MISSING_LIBRARY.findall(texts), found["installation"], [folder, *nearby]
        )
    missing = MISSING_MODULE.search(texts)
    if missing:
        prefix = str(found["installation"].get("prefix", ""))
        found["other_python"] = python_with(missing.group(1), prefix, folder, os.environ)
    used = (host.read("/proc/sys/fs/file-nr") or "").split()
    if len(used) == 3:
        found["machine_files"] = [whole(used[0]), whole(used[2])]
    return found


def _notes(rings: str | None) -> Iterator[Payload]:
    """Collect the notes of the processes about themselves and their errors."""
    pattern = os.path.join(glob.escape(rings), "*.ring") if rings else ""
    for path in sorted(glob.glob(pattern)) if pattern else ():
        try:
            notes = entries(path)
        except OSError:
            continue
        for note in notes:
            if note.get("kind") in (
                kinds.PROCESS,
                kinds.ERROR,
                kinds.QUIT,
                kinds.SHOWN,
                kinds.AROUND,
            ):
                yield note


def _chain(told: Any) -> Iterator[Payload]:
    while isinstance(told, dict):
        yield told
        told = told.get("cause")


def _rooms(
    host: Host, notes: Sequence[Payload], errors: Sequence[Payload], folder: str
) -> Iterator[Payload]:
    """The file systems that an error may mean: one that it names, one with a file in hand, or else one that is full."""
    named: list[str] = []
    said = False
    for told in errors:
        for error in _chain(told):
            text = str(error.get("message", ""))
            if NO_ROOM.search(text):
                said = True
                named += [str(error[name]) for name in ("target", "file") if error.get(name)]
                named += [first or second for first, second in PATH_IN_TEXT.findall(text)]
    if not said:
        return
    around = [note["around"] for note in notes if isinstance(note.get("around"), dict)]
    in_hand = [str(path) for looked in around for path in looked.get("paths") or ()]
    others = [str(path) for looked in around for path in looked.get("texts") or ()]
    mounts = host.mounts()
    seen: set[str] = set()
    candidates = [("named", path) for path in named] + [("in hand", path) for path in in_hand]
    others += [mount.point for mount in mounts]
    for how, path in [*candidates, *(("full", path) for path in others)]:
        absolute = os.path.normpath(os.path.join(folder, path))
        mount = mount_of(absolute, mounts)
        if mount is None or mount.point in seen or mount.kind.startswith(NETWORK_KINDS):
            continue
        seen.add(mount.point)
        room = _room(absolute, mount, how)
        if room is not None:
            yield room
        if len(seen) >= MOST_MOUNTS:
            return


NO_ROOM = bounded(
    r"No space left on device|Disk quota exceeded|disk is full|requested and \d+ written"
)


def mount_of(path: str, mounts: Sequence[Mount]) -> Mount | None:
    """The mount that a path lies on, by its name alone: a network that does not answer is not asked."""
    fitting = [
        mount
        for mount in mounts
        if path == mount.point or path.startswith(mount.point.rstrip("/") + "/")
    ]
    return max(reversed(fitting), key=lambda mount: len(mount.point), default=None)


def _room(path: str, mount: Mount, how: str) -> Payload | None:
    """Measure what is left of a file system; one that no error points to counts only if it is nearly full."""
    try:
        room = os.statvfs(mount.point)
    except OSError:
        return None
    found: Payload = {
        "path": path,
        "point": mount.point,
        "kind": mount.kind,
        "free": room.f_bavail * room.f_frsize,
        "total": room.f_blocks * room.f_frsize,
        "files": room.f_favail if room.f_files else None,
        "how": how,
    }
    if room.f_flag & os.ST_RDONLY or not room.f_blocks:
        return None
    if how == "full" and room.f_bavail > LITTLE * room.f_blocks and room.f_favail:
        return None
    used = found["total"] - found["free"]
    piles: dict[str, list[int]] = {}
    here = nearest_folder(path)
    weigh(here, piles)
    if here != mount.point and sum(bytes_ for _, bytes_ in piles.values()) < used / 2:
        elsewhere: dict[str, list[int]] = {}
        if weigh(mount.point, elsewhere, without=here):  # of a part nobody could say what it means
            piles.update(elsewhere)
    largest = sorted(piles.items(), key=lambda pile: -pile[1][1])[:MOST_PILES]
    found["piles"] = [[what, count, bytes_] for what, (count, bytes_) in largest]
    return found


def nearest_folder(path: str) -> str:
    """The folder of a file that may never have come to be."""
    while not os.path.isdir(path) and path != "/":
        path = os.path.dirname(path)
    return path


def weigh(top: str, piles: dict[str, list[int]], without: str = "") -> bool:
    """Add up the files below a folder, on its own file system: alike names in one folder are one pile. Whether all were seen."""
    until = time.monotonic() + SECONDS_FOR_A_FOLDER
    try:
        device = os.lstat(top).st_dev
    except OSError:
        return False
    waiting = [top]
    while waiting and time.monotonic() < until:
        folder = waiting.pop(0)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    stat = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        if stat.st_dev == device and entry.path != without:
                            waiting.append(entry.path)
                        continue
                    what = os.path.join(folder, DIGITS.sub("*", entry.name))
                    pile = piles.setdefault(what, [0, 0])
                    pile[0] += 1
                    pile[1] += stat.st_blocks * 512
                    if time.monotonic() >= until:
                        return False
        except OSError:
            continue
    return not waiting


def _libraries(notes: Sequence[Payload], errors: Sequence[Payload], folder: str) -> list[list[Any]]:
    """The libraries that were being loaded, and what each asks for."""
    names = [str(error.get("file") or "") for told in errors for error in _chain(told)]
    for note in notes:
        around = note.get("around")
        if isinstance(around, dict):
            names += [str(name) for name in around.get("libraries") or ()]
    found = []
    for name in dict.fromkeys(name for name in names if ".so" in name):
        path = os.path.normpath(os.path.join(folder, name))
        needs = needed_by(path)
        if needs:
            found.append([path, list(needs)])
    return found[:MOST_LIBRARIES]


def _searched(
    missing: Sequence[str], installation: Payload, nearby: Sequence[str]
) -> dict[str, str]:
    """Where a library that the loader did not find lies all the same: near the program, in its environment, in the system."""
    folders = [os.path.join(str(installation.get("prefix", "")), "lib")]
    for folder in dict.fromkeys(nearby):
        folders += [folder, *sorted(glob.glob(os.path.join(glob.escape(folder), "*", "")))[:50]]
    for library in installation.get("libraries", ()):
        folders += sorted(glob.glob(os.path.join(glob.escape(library), "nvidia", "*", "lib")))
        folders += sorted(glob.glob(os.path.join(glob.escape(library), "*.libs")))
        folders.append(os.path.join(library, "tensorflow"))
    found = {}
    for name in dict.fromkeys(os.path.basename(name) for name in missing):
        for folder in [*folders, *LIBRARY_FOLDERS]:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                found[name] = path
                break
    return found


def _installation(notes: Sequence[Payload]) -> Payload:
    """Who made the the program's environment's Python, and what is installed in it."""
    process = next((note for note in notes if note.get("kind") == kinds.PROCESS), {})
    prefix = str(process.get("prefix", ""))
    libraries = [str(path) for path in process.get("libraries", ())]
    if not prefix:
        return {}
    maker, locked = made_by(prefix)
    return {
        "prefix": prefix,
        "executable": str(process.get("executable", "")),
        "maker": maker,
        "locked": locked,
        "libraries": libraries,
        "packages": dict(_packages(libraries)),
    }


def _packages(libraries: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Name, version and installer of what is installed."""
    for name, version, folder in distributions(libraries):
        yield name, [version, _text(os.path.join(folder, "INSTALLER")).strip()[:20]]


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096)
    except OSError:
        return ""
