"""Read how much room there is where a TensorFlow program writes."""

from __future__ import annotations

import os
from collections.abc import Mapping

from outlive.inside.machine.host import Host
from outlive.model.surroundings import Room

#: Asking a dead network file system how full it is can hang for minutes.
NETWORK_KINDS = ("nfs", "cifs", "smb", "fuse", "ceph", "lustre", "9p", "afs", "glusterfs")


def read_rooms(host: Host, folder: str, variables: Mapping[str, str]) -> tuple[Room, ...]:
    """One room for each purpose; shared memory too, since it is a file system."""
    home = variables.get("HOME", "")
    cache = variables.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else "")
    keras = variables.get("KERAS_HOME") or (f"{home}/.keras" if home else "")
    wanted = {
        "temporary files": _temporary(variables),
        "the working directory": folder,
        "the download cache": cache,
        "the Keras folder": keras,
        "shared memory": "/dev/shm",
    }
    rooms = tuple(read_room(host, purpose, path) for purpose, path in wanted.items() if path)
    if folder:
        return rooms
    return (*rooms, Room("the working directory", "", "", why_not="it has been removed"))


def _temporary(variables: Mapping[str, str]) -> str:
    named = (variables.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return next((path for path in named if path), "/tmp")


def read_room(host: Host, purpose: str, path: str) -> Room:
    """The room in a folder, or in the nearest one above it that exists."""
    existing = path
    while existing.strip("/") and not os.path.lexists(host.root + existing):
        existing = os.path.dirname(existing.rstrip("/"))
    mount = max(
        (mount for mount in host.mounts() if _below(existing, mount.point)),
        key=lambda mount: len(mount.point),
        default=None,
    )
    kind = mount.kind if mount else ""
    if kind.startswith(NETWORK_KINDS):
        return Room(purpose, path, kind, why_not=f"a network file system ({kind}) is not checked")
    if purpose == "shared memory" and existing != path:
        return Room(purpose, path, kind, why_not="it does not exist")
    try:
        room = os.statvfs(host.root + (existing or "/"))
    except OSError as error:
        return Room(purpose, path, kind, why_not=os.strerror(error.errno or 0))
    return Room(
        purpose,
        path,
        kind,
        free_bytes=room.f_bavail * room.f_frsize,
        total_bytes=room.f_blocks * room.f_frsize,
        free_inodes=room.f_favail if room.f_files else None,
        writable=os.access(host.root + (existing or "/"), os.W_OK),
        exists=existing == path,
    )


def _below(path: str, point: str) -> bool:
    return point == "/" or f"{path}/".startswith(f"{point}/")
