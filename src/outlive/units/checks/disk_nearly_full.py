"""Little room where programs write."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import INODES_FREE, ROOM
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Room, Surroundings
from outlive.units.unit import check

#: A checkpoint of a middling model, twice (the new one is written beside the old).
LITTLE_BYTES = 2_000_000_000
NOTHING_BYTES = 100_000_000
FEW_INODES = 1000

#: The others are made by those who write there.
TEMPORARY = "temporary files"


@check("H301", since="0.2", prevents=("disk-full",))
def disk_nearly_full(here: Surroundings) -> Iterator[Finding]:
    """There is little disk space, there are few inodes, or there is no write permission where temporary files, checkpoints or caches go.

    ## Why it matters
    A checkpoint is written beside the one before it; `cache(filename)` writes the whole data set; downloads go to the
    home folder. When the disk fills up overnight, the program ends, and the last checkpoint may be incomplete. A disk
    can also run out of inodes while it has bytes left. A TMPDIR that does not exist is ignored silently, and temporary
    files fill another disk.

    ## What to do
    Free some space, or name a folder elsewhere: `TMPDIR`, `KERAS_HOME`, `XDG_CACHE_HOME`, and the folder that the
    program itself writes to.
    """
    told = False
    rooms = [room for room in here.rooms if room.purpose != "shared memory"]
    for room in rooms:
        trouble = _trouble(room)
        if not trouble:
            continue
        told = True
        answer = here.will_fail if trouble[1] else here.warning
        yield answer(
            f"{trouble[0]} for {room.purpose} ({room.path}).",
            *_facts(room),
            remedies=_remedies(room),
        )
    unread = [room for room in rooms if room.why_not]
    for room in unread:
        yield here.unsure(f"Could not check the free space for {room.purpose}: {room.why_not}.")
    if not told and len(unread) < len(rooms):
        read = [room for room in rooms if room.free_bytes is not None]
        least = min(read, key=lambda room: room.free_bytes or 0)
        yield here.fine(
            f"At least {size(least.free_bytes or 0)} are free in every folder that programs write to.",
            *_facts(least),
        )
    elif not rooms:
        yield here.unsure("No folder was checked.")


def _trouble(room: Room) -> tuple[str, bool] | None:
    """What is wrong, and whether it will fail."""
    if room.why_not:
        return None
    if not room.writable:
        return "No permission to write", False
    if not room.exists and room.purpose == TEMPORARY:
        return "There is no folder", False
    if room.free_bytes is not None and room.free_bytes < LITTLE_BYTES:
        return f"{size(room.free_bytes)} are free", room.free_bytes < NOTHING_BYTES
    if room.free_inodes is not None and room.free_inodes < FEW_INODES:
        return f"{room.free_inodes} inodes are free", True
    return None


def _facts(room: Room) -> tuple[Fact, ...]:
    source = f"statvfs {room.path}"
    return (
        Fact(ROOM, room.free_bytes, source),
        Fact(INODES_FREE, room.free_inodes, source),
        Fact("file system", room.kind or "unknown", "/proc/self/mountinfo"),
    )


def _remedies(room: Room) -> tuple[Remedy, ...]:
    if not room.exists and room.purpose == TEMPORARY and "'" not in room.path:
        return (
            Remedy(
                "Create the folder that TMPDIR names.", (f"mkdir -p -- '{room.path}'",), safe=True
            ),
        )
    variable = {
        TEMPORARY: "TMPDIR",
        "the download cache": "XDG_CACHE_HOME",
        "the Keras folder": "KERAS_HOME",
    }.get(room.purpose)
    if variable is None:
        return (Remedy("Free some space, or work in another folder."),)
    return (
        Remedy("Free some space, or use another folder.", (f"export {variable}=/path/with/room",)),
    )
