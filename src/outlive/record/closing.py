"""After the death: mask what was kept in clear, bring the rings home, drop what holds nothing."""

from __future__ import annotations

import os

from outlive.record import runs

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence

#: A program that starts thousands of Python processes must not leave thousands of files.
MAX_RINGS = 64


def close_rings(folder: str, rings: str | None, secrets: Sequence[str], eventful: bool) -> None:
    """Tidy the files that the processes left; what is kept lies in the run's own folder.

    Of an uneventful run the shim's files are dropped: nobody sent anything, and what was printed is nobody's business.
    """
    if rings is None:
        return
    kept = []
    crashed = 0
    with os.scandir(rings) as entries:
        found = sorted(entry.path for entry in entries)
    for path in found:
        try:
            if os.path.islink(path):
                os.unlink(path)
            elif os.path.isdir(path):
                _close_part(path, folder, rings, secrets)
            elif path.endswith(".native") and not _in_use(path):
                if eventful:
                    from outlive.record.shimmed import seal

                    sealed, crashed = seal(path, secrets, crashed)
                    kept.append(sealed)
                else:
                    os.unlink(path)
            elif os.path.getsize(path) == 0 and not _in_use(path):
                os.unlink(path)
            else:
                kept.append(path)
        except FileNotFoundError:
            continue  # of a worker that ended well a moment after the program, and took it away
    dated = sorted((when, path) for path in kept if (when := _written(path)) is not None)
    kept = [path for _, path in dated]
    for path in kept[:-MAX_RINGS]:
        _unlink(path)
    _bring_home(kept[-MAX_RINGS:], folder, rings)


def thin_out(rings: str) -> None:
    """While the program runs: of processes that are gone only the youngest keep their files.

    Whoever ends well takes its own away. A program whose children end badly by the thousand (0.7 MB each) must not fill the disk, nor the
    memory where the records lie in memory.
    """
    with os.scandir(rings) as entries:
        found = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
    if len(found) <= MAX_RINGS:
        return
    files: dict[str, list[str]] = {}
    made: dict[str, float] = {}
    for entry in found:
        number = _number(entry.path)
        if not number.isdigit() or _in_use(entry.path):
            continue
        try:
            changed = entry.stat(follow_symlinks=False).st_ctime
        except FileNotFoundError:
            continue  # taken away by the one who made it
        files.setdefault(number, []).append(entry.path)
        made[number] = max(made.get(number, 0.0), changed)
    for number in sorted(files, key=lambda one: made[one])[:-MAX_RINGS]:
        for path in files[number]:
            _unlink(path)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _written(path: str) -> float | None:
    """When it was written to last; nothing when it is there no more."""
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return None


def _bring_home(kept: Sequence[str], folder: str, rings: str) -> None:
    """Rings that had to lie on another file system are copied into the run's folder."""
    home = os.path.join(folder, runs.RINGS_NAME)
    if os.path.abspath(rings) == os.path.abspath(home):
        return
    os.makedirs(home, mode=0o700, exist_ok=True)
    for path in kept:
        try:
            with open(path, "rb") as source:
                content = source.read()
        except FileNotFoundError:
            continue
        runs.write_private(os.path.join(home, os.path.basename(path)), content)
    runs.remove(rings)


def _close_part(part: str, folder: str, rings: str, secrets: Sequence[str]) -> None:
    """A kernel that was watched by itself; its record lies within the program's."""
    close_rings(part, os.path.join(part, runs.RINGS_NAME), secrets, eventful=True)
    home = os.path.join(folder, runs.RINGS_NAME)
    if os.path.abspath(rings) != os.path.abspath(home):
        import shutil

        shutil.copytree(part, os.path.join(home, os.path.basename(part)), dirs_exist_ok=True)


def _in_use(path: str) -> bool:
    """A process that outlives the program (a daemon) still writes."""
    number = _number(path)
    return number.isdigit() and os.path.exists(f"/proc/{number}")


def _number(path: str) -> str:
    """Of the process that a file belongs to."""
    return os.path.basename(path).partition(".")[0].partition("-")[0]
