"""The results of leases in an object store: one object for each, put whole, and only where none is yet, if the store can promise that."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from outlive.data.addresses import opened
from outlive.errors import OutliveError

#: What the library of a store raises where a condition does not hold; that of S3 has no class for it.
REFUSED = ("pre-condition", "precondition", "conditionalrequestconflict")


class StoreStorage:
    """A place below an address."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._system, self._root = opened(self.address)

    def read(self, name: str) -> bytes | None:
        """Give what was written under this name; ``None`` where nothing was."""
        try:
            found: bytes = self._system.cat_file(self._path(name))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failed(error) from error
        return found

    def put_once(self, name: str, data: bytes) -> bool:
        """Put with the condition that there is none (``If-None-Match``); a store that knows no conditions keeps the last, and each is whole."""
        path = self._path(name)
        try:
            self._make_folder(path)
            self._system.pipe_file(path, data, mode="create")
        except FileExistsError:
            return False
        except NotImplementedError:
            if self._system.exists(path):
                return False
            self._system.pipe_file(path, data)
        except OSError as error:
            words = str(error).lower()
            if error.errno == errno.EINVAL or any(one in words for one in REFUSED):
                self._system.invalidate_cache()
                if self._system.exists(path):
                    return False
            raise self._failed(error) from error
        return True

    def put(self, name: str, data: bytes) -> None:
        """Write, over what was there."""
        path = self._path(name)
        try:
            self._make_folder(path)
            self._system.pipe_file(path, data)
        except OSError as error:
            raise self._failed(error) from error

    def put_path(self, name: str, path: str) -> None:
        """Write a file of this machine, over what was there."""
        try:
            self._system.put_file(path, self._path(name))
        except OSError as error:
            raise self._failed(error) from error

    def remove(self, name: str) -> None:
        """Remove what was written under this name, if anything was."""
        with suppress(FileNotFoundError):
            self._system.rm_file(self._path(name))

    def names(self, folder: str) -> Iterator[str]:
        """List what there is in a folder."""
        try:
            found: Any = self._system.ls(self._path(folder), detail=False)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._failed(error) from error
        for path in found:
            yield os.path.basename(str(path).rstrip("/"))

    def sweep(self, folder: str) -> None:
        """Nothing unfinished is ever seen in a store."""

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _make_folder(self, path: str) -> None:
        """Some file systems behind an address want folders; an object store has none."""
        if "file" in _protocols(self._system):
            self._system.makedirs(os.path.dirname(path), exist_ok=True)

    def _failed(self, error: OSError) -> OutliveError:
        return OutliveError(
            f"{self.address} cannot be used: {error}",
            "Try again: nothing that was committed is lost. Credentials are taken from the environment.",
        )


def _protocols(system: Any) -> tuple[str, ...]:
    known = system.protocol
    return (known,) if isinstance(known, str) else tuple(known)
