"""After the death: mask what was kept in clear, bring the rings home, drop what holds nothing."""

from __future__ import annotations

import os

from outlive.recorder.store import removal, run_folders

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence

#: A program that starts thousands of Python processes must not leave thousands of files.
MAX_RINGS = 64

#: The end of the names of the files that Python's fault handler writes.
FAULT = ".fault"


def seal(folder: str, rings: str | None, secrets: Sequence[str], eventful: bool) -> None:
    """Close the record of a run to which nothing more is written: tidy it, and make room for later runs."""
    close_rings(folder, rings, secrets, eventful)
    run_folders.write_private(os.path.join(folder, run_folders.SEALED_NAME), b"")
    removal.prune(os.path.basename(folder))
    seal_older(folder)


def close_rings(folder: str, rings: str | None, secrets: Sequence[str], eventful: bool) -> None:
    """Tidy the files that the processes left; what is kept lies in the run's own folder.

    Of an uneventful run the shim's files are deleted: no signal is to be explained, and what the program printed is private.
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
            elif path.endswith(".native") and not in_use(path):
                if eventful:
                    from outlive.recorder.store.shim_notes import seal

                    sealed, crashed = seal(path, secrets, crashed)
                    kept.append(sealed)
                else:
                    os.unlink(path)
            elif os.path.getsize(path) == 0 and not in_use(path):
                os.unlink(path)
            else:
                _mask_stacks(path, secrets)
                kept.append(path)
        except FileNotFoundError:
            continue  # of a worker that ended well a moment after the program, and took it away
    dated = sorted((when, path) for path in kept if (when := _written(path)) is not None)
    kept = [path for _, path in dated]
    for path in kept[:-MAX_RINGS]:
        _unlink(path)
    _bring_home(kept[-MAX_RINGS:], folder, rings)


def seal_leftovers(rings: str | None, secrets: Sequence[str]) -> None:
    """Mask what a supervisor that was killed, or a process that outlived its program, left in clear. Of the living nothing is touched."""
    for path in _left_in_clear(rings) if rings is not None else ():
        try:
            if in_use(path):
                continue
            if path.endswith(FAULT):
                _mask_stacks(path, secrets)
            else:
                from outlive.recorder.store.shim_notes import seal

                seal(path, secrets)
        except OSError:
            continue  # somebody else does it at this moment, or it is not ours to write


def _mask_stacks(path: str, secrets: Sequence[str]) -> None:
    """Mask what Python's fault handler wrote by itself: a folder, and so a file of the program's, may be named after a secret."""
    if not path.endswith(FAULT) or in_use(path):
        return
    from outlive.inside.notes.masking import mask_text
    from outlive.recorder.store.entries import content_of

    text = content_of(path).decode("utf-8", "replace")
    masked = mask_text(text, secrets, keep_lines=True)
    if masked != text:
        run_folders.write_private(path, masked)


def seal_older(newest: str) -> None:
    """The same for the runs before, if any of them left something; to look takes a millisecond for a hundred runs."""
    for name in run_folders.list_runs():
        folder = run_folders.folder_of(name)
        rings = os.path.join(folder, run_folders.RINGS_NAME)
        if folder != newest and _has_live(rings):
            from outlive.recorder.store.read_run import read_run

            read_run(folder)  # which seals, unless its supervisor is there and will


def _has_live(rings: str) -> bool:
    try:
        return any(name.endswith(".native") for name in os.listdir(rings))
    except OSError:
        return False


def _left_in_clear(rings: str) -> list[str]:
    """The shim's own files and the fault handler's, also those of kernels that were watched by themselves; nothing any deeper."""
    found = []
    for entry in removal.entries_of(rings):
        if entry.name.startswith(run_folders.KERNEL_PREFIX) and entry.is_dir(follow_symlinks=False):
            found += _left_in_clear(os.path.join(entry.path, run_folders.RINGS_NAME))
        elif entry.name.endswith((".native", FAULT)) and entry.is_file(follow_symlinks=False):
            found.append(entry.path)
    return found


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
        if not number.isdigit() or in_use(entry.path):
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
    home = os.path.join(folder, run_folders.RINGS_NAME)
    if os.path.abspath(rings) == os.path.abspath(home):
        return
    os.makedirs(home, mode=0o700, exist_ok=True)
    for path in kept:
        try:
            with open(path, "rb") as source:
                content = source.read()
        except FileNotFoundError:
            continue
        run_folders.write_private(os.path.join(home, os.path.basename(path)), content)
    removal.remove_shared_rings(rings)


def _close_part(part: str, folder: str, rings: str, secrets: Sequence[str]) -> None:
    """A kernel that was watched by itself; its record lies within the program's."""
    close_rings(part, os.path.join(part, run_folders.RINGS_NAME), secrets, eventful=True)
    home = os.path.join(folder, run_folders.RINGS_NAME)
    if os.path.abspath(rings) != os.path.abspath(home):
        import shutil

        shutil.copytree(part, os.path.join(home, os.path.basename(part)), dirs_exist_ok=True)


def in_use(path: str) -> bool:
    """A process that outlives the program (a daemon) still writes."""
    number = _number(path)
    if not number.isdigit():
        return False
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in (b"Z", b"X")  # a dead one that nobody has asked about yet writes nothing


def _number(path: str) -> str:
    """Of the process that a file belongs to."""
    return os.path.basename(path).partition(".")[0].partition("-")[0]
