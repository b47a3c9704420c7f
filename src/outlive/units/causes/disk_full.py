"""A file could not be written because there is no room."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from outlive.model.events import Saving
from outlive.model.evidence import Evidence, Room
from outlive.model.fact_names import ROOM_LEFT, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.model.patterns import bounded
from outlive.units.unit import cause

NO_ROOM = bounded(
    r"No space left on device|Disk quota exceeded|database or disk is full|\b\d+ requested and \d+ written"
)
CUT_OFF = bounded(r"requested and \d+ written")
HDF5_SIZE = bounded(r"total write size = (\d+)")
NUMPY_ITEMS = bounded(r"\b(\d+) requested and (\d+) written")
ENOSPC, EDQUOT = 28, 122

#: The kernel gives the same error number for other things that it has run out of.
NO_DISK = re.compile(r"inotify|watch limit|semaphore|SemLock|epoll", re.IGNORECASE)

#: Files with less than this share of what is used do not explain why it is full.
TELLING = 0.1

#: Python could not write out what was left in its buffers when it ended.
FLUSH_FAILED = 120


@cause(
    "D604",
    since="0.2",
    behind=("uncaught-exception", "exited-by-program", "crashed-at-exit"),
    searched=(
        "OSError: [Errno 28] No space left on device",
        "ResourceExhaustedError: No space left on device",
        "Disk quota exceeded",
        "checkpoint no space left on device",
    ),
)
def disk_full(evidence: Evidence) -> Iterator[Finding]:
    """A file could not be written: its file system is full, or the user's quota is used up.

    ## What happened
    A checkpoint, a log, a cache or a result did not fit on its file system. That may be a small one: a container's
    layer, `/tmp`, a mounted volume, a `tmpfs` (which is memory). A file system can also run out of inodes while bytes
    are left, and a quota can be used up before the disk is full. A file system that is mounted read-only is a different
    cause.

    ## How we know
    The exception that ended the program says so (`ENOSPC`, `EDQUOT`, or the words of TensorFlow, HDF5, NumPy or
    SQLite), and the file system of the file was checked right after the death: how much is left, and what takes the
    most space.

    ## What to do
    Remove what the verdict names, or write elsewhere. Keep fewer checkpoints (`max_to_keep`), and write to a temporary
    name first: a truncated file is worse than none.
    """
    room = evidence.circumstances.full_room
    full = room is not None and room.full
    certain = room is not None and room.how in ("named", "in hand") and full
    found = evidence.errors.like(NO_ROOM, ENOSPC, EDQUOT)
    if found is not None:
        error, sure = found
        if NO_DISK.search(error.message + " ".join(map(str, error.frames[:3]))):
            return
        if CUT_OFF.search(error.message) and not full:
            return  # a pipe, or a file that was closed, can cut a write off too
        text, where = error.words, evidence.errors.line_of(error)
        quota = error.errno == EDQUOT or "quota" in error.message
    else:
        lines = [line for line in evidence.run.log.splitlines() if NO_ROOM.search(line)]
        if not lines or evidence.run.ending.exit_code != FLUSH_FAILED:
            return
        text, where, sure, quota = lines[-1][:200], None, Confidence.LIKELY, "quota" in lines[-1]
    if not (certain or quota):
        sure = min(sure, Confidence.LIKELY)  # something was removed since, or it never was the disk
    facts = [Fact("refused", text, "exception" if found else "stderr")]
    if room is not None:
        facts.append(Fact("file system", f"{room.point} ({room.size_words})", "mountinfo"))
        facts.append(Fact(ROOM_LEFT, room.free_bytes, "statvfs after the death"))
        facts += [
            Fact("takes the most", pile.words, "the folder, read after the death")
            for pile in room.piles[:3]
        ]
    needed = _needed(found[0].message if found else "", room)
    if needed:
        facts.insert(1, Fact("needed", needed, "the error message, or the folder"))
    yield Finding(
        _says(room, quota),
        (*facts, *evidence.run.because(RUN_TIME)),
        sure,
        tuple(_remedies(room, quota, evidence.saving)),
        where=where,
    )


def _needed(message: str, room: Room | None) -> str:
    """How much was to be written: as HDF5 and NumPy say, else as much as what lies there already."""
    if hdf5 := HDF5_SIZE.search(message):
        return size(int(hdf5[1]))
    if numpy := NUMPY_ITEMS.search(message):
        return f"{numpy[1]} items, of which {numpy[2]} were written"
    if room is not None and room.piles and room.piles[0].count > 1:
        return f"about {size(room.piles[0].bytes / room.piles[0].count)}, if similar to the others"
    return ""


def _says(room: Room | None, quota: bool) -> str:
    if quota:
        return f"The disk quota of this user is used up{f' on {room.point}' if room else ''}."
    if room is None:
        return "A write failed because its disk was full."
    if room.no_files:
        return f"The file system at {room.point} has no free inodes, though {size(room.free_bytes)} are free."
    most = (
        f"; {room.piles[0].words}"
        if room.piles and room.piles[0].bytes > TELLING * room.used_bytes
        else ""
    )
    left = size(room.free_bytes)
    if room.full:
        return f"The file system at {room.point} ({room.size_words}) is full: {left} left{most}."
    where = f"on the file system at {room.point} ({room.size_words})"
    return f"A write failed: no space left {where}; {left} are free since the program ended{most}."


def _fewer(saving: Saving) -> str:
    """Say how, in the words of whoever writes the files: a callback of Keras has no ``max_to_keep``."""
    by = {one.by for one in saving.saved}
    if "TensorFlow" in by:
        return "tf.train.CheckpointManager(…, max_to_keep=3) deletes the old ones"
    if "Keras" in by:
        return "let ModelCheckpoint write one file again and again (a filepath without {epoch}), or save_best_only=True"
    return "delete old ones as new ones are written"


def _remedies(room: Room | None, quota: bool, saving: Saving) -> Iterator[Remedy]:
    if quota:
        yield Remedy("Delete some of your files there, or ask for a larger quota.", ("quota -s",))
        return
    if room is None:
        yield Remedy("Free some space, or write elsewhere.", ("df -h",))
        return
    if room.no_files:
        yield Remedy(
            "Delete small files there: the file system has run out of inodes, not bytes.",
            (f"df -i {shlex.quote(room.point)}",),
        )
        return
    yield Remedy(
        "Delete what you no longer need, or write to another disk.",
        (f"du -xah {shlex.quote(room.point)} | sort -rh | head -20",),
    )
    if room.piles and room.piles[0].count >= 3:
        yield Remedy(f"Keep fewer of those files: {_fewer(saving)}.")
    if room.kind == "tmpfs":
        yield Remedy(
            "Make it larger (it is memory, not a disk), or use a directory on a disk.",
            (f"mount -o remount,size=… {shlex.quote(room.point)}",),
        )
