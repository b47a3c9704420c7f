"""Files that are elsewhere: ``s3://``, ``gs://`` and whatever else fsspec knows, listed as they come, and copied here to be read.

Who may read them is in the environment, as the library of that store wants it. An address that holds a password is refused: it would be in every record.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any

from outlive.errors import OutliveError, UsageError

ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*(?:::[a-z][a-z0-9+.-]*)*://")
PASSWORD = re.compile(r"://[^/]*@")

#: Where copies lie: in memory, where a machine has that, for they are read once.
MEMORY = "/dev/shm"


def is_address(name: str) -> bool:
    """Whether it is an address, not a path of this machine."""
    return ADDRESS.match(name) is not None


def absolute(name: str) -> str:
    """The same file from wherever it is asked for."""
    return name if is_address(name) else os.path.abspath(name)


def opened(address: str) -> tuple[Any, str]:
    """The file system of an address, and what it calls it."""
    if PASSWORD.search(address):
        raise UsageError(
            f"The address {PASSWORD.sub('://***@', address)} has a user or a password in it, which would be kept with the results.",
            "Give credentials in the environment, as the store's own tools take them.",
        )
    try:
        fsspec: Any = importlib.import_module("fsspec.core")
    except ImportError as error:
        raise OutliveError(
            f"{address}: addresses need fsspec, which is not installed.",
            "pip install 'outlive[stores]' and the package of the store (s3fs, gcsfs, adlfs …)",
        ) from error
    try:
        # A listing that is remembered grows with what is listed.
        system, path = fsspec.url_to_fs(address, use_listings_cache=False)
    except (ImportError, ValueError) as error:
        raise OutliveError(
            f"{address} cannot be opened: {error}",
            "Install the package of this store (s3fs, gcsfs, adlfs …).",
        ) from error
    return system, str(path)


def below(address: str) -> Iterator[str]:
    """Every file below an address, folder by folder; the address itself, where it is one."""
    system, path = opened(address)
    try:
        if not system.isdir(path):
            if not system.exists(path):
                raise UsageError(f"There is nothing at {address!r}.", "Give a file or a folder.")
            yield address
            return
        for folder, folders, names in system.walk(path, detail=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                yield str(system.unstrip_protocol(f"{folder}/{name}"))
    except OSError as error:
        raise OutliveError(f"{address} cannot be listed: {error}") from error


class Copy:
    """A copy of a file here, for as long as this object lives."""

    def __init__(self, address: str) -> None:
        system, path = opened(address)
        suffix = os.path.splitext(path)[1]
        folder = MEMORY if os.access(MEMORY, os.W_OK) else None
        self._file = tempfile.NamedTemporaryFile(prefix="outlive-", suffix=suffix, dir=folder)  # noqa: SIM115  # ends with this
        system.get_file(path, self._file.name)

    @property
    def path(self) -> str:
        """Where it is."""
        return self._file.name

    def close(self) -> None:
        """Remove it."""
        self._file.close()


def fetched_folder(address: str, folder: str) -> str:
    """A file or a folder, copied below a folder of this machine, once: as long as the store says that it is the same, that copy is used."""
    system, path = opened(address)
    state = ",".join(
        f"{name}:{info.get('ETag') or info.get('etag') or info.get('mtime') or ''}:{info.get('size')}"
        for name, info in sorted(system.find(path, detail=True).items())
    )
    if not state:
        raise UsageError(f"There is nothing at {address!r}.", "Give a model.")
    key = hashlib.sha256(f"{address} {state}".encode()).hexdigest()[:16]
    mine = os.path.join(folder, key, os.path.basename(path.rstrip("/")))
    if not os.path.exists(mine):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{key}.", dir=folder) as fresh:
            system.get(path, os.path.join(fresh, os.path.basename(mine)), recursive=True)
            try:
                os.rename(fresh, os.path.dirname(mine))
            except OSError:  # another process was faster, and has the same
                if not os.path.exists(mine):
                    raise
            os.makedirs(fresh, exist_ok=True)
    return mine
