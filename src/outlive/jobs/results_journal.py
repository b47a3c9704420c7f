"""What a job has done, on the disk, so that nothing which was reported done is ever done again.

One line a record: a checksum, then JSON. A line counts when it is whole and its checksum is right; what a power cut or a kill left behind it is cut off
when the journal is opened again. A record is on the disk (``fsync``) before anybody is told of it. The folder is locked by the process
that writes it; the lock goes with the process.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from outlive.data.atomic_file import replacing
from outlive.errors import OutliveError, UsageError

JOB_NAME = "job.json"
JOURNAL_NAME = "journal.jsonl"
LOCK_NAME = ".lock"
SCHEMA = "outlive.job/1"


class CannotWrite(OutliveError):
    """The folder of a job cannot be written: it is full, forbidden, or no folder."""


@contextmanager
def writing(folder: str) -> Iterator[None]:
    """Say in words what the system says in numbers."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        help = (
            "Free some space and resume:  --resume   Finished work is kept."
            if full
            else "Give another --out, or make it writable."
        )
        raise CannotWrite(f"{folder} cannot be written: {error.strerror}.", help) from error


class Busy(OutliveError):
    """Another process writes this folder."""


def write_line(record: Mapping[str, Any]) -> bytes:
    """One record as a line."""
    body = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_line(line: bytes) -> dict[str, Any] | None:
    """The record of a line, or ``None`` when it is torn."""
    if not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    body = line[9:-1]
    try:
        if zlib.crc32(body) != int(line[:8], 16):
            return None
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def read_journal(path: str) -> Iterator[dict[str, Any]]:
    """Every whole record, up to the first that is not."""
    try:
        with open(path, "rb") as file:
            for line in file:
                record = read_line(line)
                if record is None:
                    return
                yield record
    except FileNotFoundError:
        return


class Journal:
    """The folder of a job, locked and open for writing. One that holds files of the same names that are not ours is refused."""

    def __init__(
        self, folder: str, identity: Mapping[str, Any], resume: bool, writes: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.path = os.path.join(folder, JOURNAL_NAME)
        with writing(folder):
            os.makedirs(folder, exist_ok=True)
            self._lock = open(os.path.join(folder, LOCK_NAME), "a")  # noqa: SIM115  # held until the end
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise Busy(
                f"Another job is writing to {folder}.", "Wait for it, or give another --out."
            ) from error
        try:
            with writing(folder):
                self._refuse_foreign(writes)
                self._adopt(identity, resume)
                self._file = self._open()
        except BaseException:
            self._lock.close()
            raise

    def _refuse_foreign(self, writes: Sequence[str]) -> None:
        """Raise where files lie that this job would write over or cut off, and no job of ours has written them."""
        if os.path.lexists(os.path.join(self.folder, JOB_NAME)):
            return
        for name in (JOURNAL_NAME, *writes):
            if os.path.lexists(os.path.join(self.folder, name)):
                raise UsageError(
                    f"{self.folder} already has a {name} that is not from a job of Outlive.",
                    "Give another --out; nothing was changed.",
                )

    def _adopt(self, identity: Mapping[str, Any], resume: bool) -> None:
        """Begin a job in this folder, or resume the one that is there, if it is the same job."""
        path = os.path.join(self.folder, JOB_NAME)
        try:
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
        except FileNotFoundError:
            known = None
        except ValueError as error:
            raise OutliveError(f"{path} cannot be read: it is not JSON.") from error
        if known is not None and not is_job(known):
            raise UsageError(
                f"{path} is not from a job of Outlive.", "Give another --out; nothing was changed."
            )
        if known is not None and next(read_journal(self.path), None) is None:
            known = None  # it was begun, and nothing came of it
        if known is not None and not resume:
            raise UsageError(
                f"{self.folder} already contains a job.",
                "Resume it:  --resume   Or give another --out.",
            )
        if known is not None:
            differs = [name for name in identity if identity[name] != known["identity"].get(name)]
            if differs:
                name = differs[0]
                raise UsageError(
                    f"The job in {self.folder} was started with another {name}: "
                    f"{known['identity'].get(name)!r}, not {identity[name]!r}.",
                    "Their results must not be mixed. Give another --out.",
                )
            return
        replace_file(path, json.dumps({"schema": SCHEMA, "identity": dict(identity)}))

    def _open(self) -> int:
        """Open the journal for appending, after a torn last line was cut off."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        good = 0
        with open(self.path, "rb") as file:
            for line in file:
                if read_line(line) is None:
                    break
                good += len(line)
        os.ftruncate(handle, good)
        os.lseek(handle, good, os.SEEK_SET)
        os.fsync(handle)
        sync_folder(self.folder)
        return handle

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record; it is on the disk when this returns."""
        left = memoryview(write_line(record))
        with writing(self.folder):
            while left:
                left = left[os.write(self._file, left) :]
            os.fdatasync(self._file)

    def records(self) -> Iterator[dict[str, Any]]:
        """All that was written, by this job and by those before it."""
        return read_journal(self.path)

    def close(self) -> None:
        """Let others have the folder."""
        os.close(self._file)
        self._lock.close()


def is_job(known: object) -> bool:
    """Tell whether what a ``job.json`` holds was written by us."""
    return (
        isinstance(known, dict)
        and known.get("schema") == SCHEMA
        and isinstance(known.get("identity"), dict)
    )


def replace_file(path: str, text: str | bytes) -> None:
    """Write a file as a whole, or not at all."""
    data = text.encode() if isinstance(text, str) else text
    with replacing(path) as beside, open(beside, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(os.path.dirname(path) or ".")


def sync_folder(folder: str) -> None:
    """A new name is on the disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems have nothing to do here, and say so
    finally:
        os.close(handle)
