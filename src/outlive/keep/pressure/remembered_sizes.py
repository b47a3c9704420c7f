"""What is remembered of batch sizes from one start of a program to the next, below Outlive's home.

Before a size is tried it is written down, in a file that belongs to this process and stays open: a write of two microseconds, which
survives the death of the process by whatever cause. The next start finds the file of a process that has ended, and begins below.
"""

from __future__ import annotations

import atexit
import json
import os
import zlib
from dataclasses import asdict
from typing import Any

from outlive.coroner.stored_verdict import stored_verdict
from outlive.data.atomic_file import replacing
from outlive.inside.notes import links
from outlive.keep.pressure.sizes import Known
from outlive.model.findings import EndedBy
from outlive.recorder.store import run_folders

#: A run that ended so did not end of its batch, whatever was being tried.
OF_MEMORY = frozenset(
    {"memory-limit-reached", "machine-out-of-memory", "allocation-refused", "address-space-limit"}
    | {"worker-out-of-memory", "gpu-memory-exhausted"}
)

WIDTH = 20  #: digits of a size


class Remembered:
    """The sizes of one step, by its key. Where nothing can be written, this process alone remembers."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._folder = os.path.join(run_folders.home(), "batches")
        self._name = f"{zlib.crc32(key.encode('utf-8', 'replace')):08x}"
        self._handle = -1
        self._pid = 0

    def load(self, limit_bytes: int | None) -> Known:
        """What is known, with what processes have left that died while they tried."""
        known = self._stored().with_memory(limit_bytes)
        for path, size, run in self._left_behind():
            if size and _ended_of_memory(run) is not False:
                known = known.failed(size, limit_bytes)
            _remove(path)
        self.save(known)
        return known

    def save(self, known: Known) -> None:
        """For the next start."""
        try:
            run_folders.make_private_folder(self._folder)
            path = os.path.join(self._folder, f"{self._name}.json")
            with replacing(path, mode=0o600) as new:
                run_folders.write_private(new, json.dumps({"key": self._key, **asdict(known)}))
        except OSError:
            pass

    def trying(self, size: int) -> None:
        """To be called before a size is tried, and with 0 when that is over."""
        if self._pid != os.getpid():
            self._open()
        if self._handle >= 0:
            try:
                os.pwrite(self._handle, b"%*d" % (WIDTH, size), 0)
            except OSError:
                self._handle = -1

    def _open(self) -> None:
        self._pid, self._handle = os.getpid(), -1
        path = os.path.join(self._folder, f"{self._name}.{self._pid}-{started(self._pid)}")
        try:
            self._handle = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
            rings = os.environ.get(links.FOLDER_VARIABLE, "")
            run = (
                os.path.dirname(rings) if os.path.basename(rings) == run_folders.RINGS_NAME else ""
            )
            os.pwrite(self._handle, b"%*d\n%s" % (WIDTH, 0, os.fsencode(run)), 0)
            atexit.register(_remove, path)
        except OSError:
            self._handle = -1

    def _stored(self) -> Known:
        try:
            with open(os.path.join(self._folder, f"{self._name}.json"), encoding="utf-8") as file:
                data: Any = json.load(file)
            if data["key"] != self._key:
                return Known()
            return Known(int(data["fits"]), data["fails"], data["limit_bytes"])
        except (OSError, ValueError, KeyError, TypeError):
            return Known()

    def _left_behind(self) -> list[tuple[str, int, str]]:
        """The files of processes that are gone: path, the size that they tried, the record of their run."""
        found = []
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        for name in names:
            owner = name.removeprefix(f"{self._name}.")
            pid, _, when = owner.partition("-")
            if owner == name or not pid.isdigit() or started(int(pid)) == when:
                continue
            path = os.path.join(self._folder, name)
            try:
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    size, _, run = file.read().partition("\n")
                found.append((path, int(size or 0), run))
            except (OSError, ValueError):
                continue
        return found


def tried_by(pid: int) -> tuple[int, ...]:
    """The sizes that a process was trying when it died; it is gone, and so is the time at which it was started."""
    folder, found = os.path.join(run_folders.home(), "batches"), []
    try:
        names = [name for name in os.listdir(folder) if f".{pid}-" in name]
    except OSError:
        return ()
    for name in names:
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                found.append(int(file.readline() or 0))
        except (OSError, ValueError):
            continue
    return tuple(size for size in found if size)


def started(pid: int) -> str:
    """When a process was started, as the kernel counts; nothing when there is none of that number."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _ended_of_memory(run: str) -> bool | None:
    """Whether memory ended that run; None when there is no record, or it says nothing."""
    if not run:
        return None
    try:
        verdict = stored_verdict(run)
    except Exception:  # another version's, or damaged
        return None
    if verdict is None:
        return None
    slugs = {finding.slug for finding in verdict.findings}
    return verdict.ending.by is EndedBy.KERNEL_OOM or bool(slugs & OF_MEMORY)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
