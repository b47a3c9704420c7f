"""Remove what Outlive has recorded, and nothing else: the only module that removes the folder of a run.

A home may be any folder, and ``runs`` is where TensorBoard and Ultralytics keep their results too. So a folder is removed only if its name
has the shape of ours *and* our mark lies in it *and* nothing lies in it that we did not put there. Only folders that we make are entered,
no link is followed, and what is in doubt stays.
"""

from __future__ import annotations

import os
import re
import time

from outlive.inside.notes.format import MARKER
from outlive.recorder.store import run_folders

KEEP_RUNS = 100
KEEP_BYTES = 500_000_000

#: A run that was never sealed and was written to within this time may still be running.
FRESH_SECONDS = 86_400

#: What Outlive puts into the folder of a run.
IN_A_RUN = frozenset(
    {
        run_folders.JOB_NAME,
        run_folders.LOG_NAME,
        run_folders.MARK_NAME,
        run_folders.NEXT_NAME,
        run_folders.NOTE_NAME,
        run_folders.PAGE_NAME,
        run_folders.PREVIOUS_NAME,
        run_folders.QUARANTINE_NAME,
        run_folders.RINGS_NAME,
        run_folders.SEALED_NAME,
        run_folders.STDERR_NAME,
        run_folders.VERDICT_NAME,
    }
)

#: What Outlive puts into the folder of its rings, beside links: files that begin with the number of a process.
IN_RINGS = re.compile(
    r"\d{1,20}(?:-\d{1,20})?\.(?:ring|shim|native|fault|cells|failed)(?:\..*)?", re.DOTALL
)


def prune(newest: str) -> None:
    """Remove the oldest runs beyond the limits; never the newest, never one that is still running, and for their number no rank of the newest's job."""
    total = 0
    job = run_folders.job_of(os.path.join(run_folders.runs_folder(), newest))
    for kept, name in enumerate(reversed(run_folders.home_runs())):
        folder = os.path.join(run_folders.runs_folder(), name)
        total += run_folders.folder_bytes(folder)
        if name == newest or (kept < KEEP_RUNS and total <= KEEP_BYTES):
            continue
        if not os.path.exists(os.path.join(folder, run_folders.SEALED_NAME)) and _fresh(folder):
            continue
        if job and run_folders.job_of(folder) == job and total <= KEEP_BYTES:
            continue
        remove_run(folder)


def _fresh(folder: str) -> bool:
    """Tell whether a run was written to lately. One that cannot be asked may be going on."""
    try:
        written = os.stat(os.path.join(folder, run_folders.LOG_NAME)).st_mtime
    except FileNotFoundError:
        written = os.stat(folder).st_mtime
    except OSError:
        return True
    return time.time() - written < FRESH_SECONDS


def remove_run(folder: str) -> bool:
    """Delete the record of one run; tells whether it is gone. A folder that is not wholly ours stays as it is."""
    if not is_removable(folder):
        return False
    _remove_rings(os.path.join(folder, run_folders.RINGS_NAME))
    for name in sorted(IN_A_RUN - {run_folders.MARK_NAME}):
        _quietly(os.unlink, os.path.join(folder, name))
    # The mark goes last: whatever interrupts us, the next one still knows the folder as ours.
    _quietly(os.unlink, os.path.join(folder, run_folders.MARK_NAME))
    _quietly(os.rmdir, folder)
    return not os.path.lexists(folder)


def is_removable(folder: str) -> bool:
    """Tell whether a folder is a run of ours and holds nothing but what Outlive has put into it."""
    return (
        run_folders.is_run_name(os.path.basename(folder))
        and is_marked(folder)
        and _all_ours(folder)
    )


def is_marked(folder: str) -> bool:
    """Tell whether our mark lies in a folder of this user's: the file that says so, or the log of an older release."""
    try:
        if os.path.islink(folder) or os.lstat(folder).st_uid != os.geteuid():
            return False
        if os.path.isfile(os.path.join(folder, run_folders.MARK_NAME)):
            return True
        with open(os.path.join(folder, run_folders.LOG_NAME), "rb") as file:
            return file.read(len(MARKER)) == MARKER
    except OSError:
        return False


def _all_ours(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except OSError:
        return False
    folders = {name for name, is_folder in found.items() if is_folder}
    return (
        found.keys() <= IN_A_RUN
        and folders <= {run_folders.RINGS_NAME}
        and _rings_all_ours(os.path.join(folder, run_folders.RINGS_NAME))
    )


def _rings_all_ours(rings: str) -> bool:
    return all(
        _is_part(entry) and _all_ours(entry.path)
        if entry.is_dir(follow_symlinks=False)
        else _is_ring(entry)
        for entry in entries_of(rings)
    )


def _is_part(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith(run_folders.KERNEL_PREFIX)


def _is_ring(entry: os.DirEntry[str]) -> bool:
    """A file of a process, or a link: what a process is told is the target of one, and whatever a link leads to stays."""
    return entry.is_symlink() or IN_RINGS.fullmatch(entry.name) is not None


def remove_shared_rings(rings: str) -> None:
    """Delete rings that lay in shared memory, by the path that this process was given when it made them."""
    if os.path.basename(rings).startswith(run_folders.SHARED_RINGS_PREFIX):
        _remove_rings(rings)


def _remove_rings(rings: str) -> None:
    """Delete the files of processes, and the records of kernels that were watched by themselves."""
    for entry in entries_of(rings):
        if not entry.is_dir(follow_symlinks=False):
            if _is_ring(entry):
                _quietly(os.unlink, entry.path)
        elif _is_part(entry):
            _remove_part(entry.path)
    _quietly(os.rmdir, rings)


def _remove_part(folder: str) -> None:
    _remove_rings(os.path.join(folder, run_folders.RINGS_NAME))
    for entry in entries_of(folder):
        if entry.name in IN_A_RUN and not entry.is_dir(follow_symlinks=False):
            _quietly(os.unlink, entry.path)
    _quietly(os.rmdir, folder)


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """List a folder; nothing where it is a link, or not there."""
    if os.path.islink(folder):
        return []
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _quietly(act: object, path: str) -> None:
    try:
        act(path)  # type: ignore[operator]  # os.unlink or os.rmdir
    except OSError:
        pass
