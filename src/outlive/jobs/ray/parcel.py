"""A model on its way to other machines: packed once by the driver, unpacked once a machine, known by its fingerprint."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable

from outlive.jobs.fingerprint import fingerprint
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.store.run_folders import home

FOLDER = "models"

#: What stands beside a converted model and says what it was converted from.
BESIDE = ".outlive.json"


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a file or folder is called, and how it is known."""

    name: str
    fingerprint: str


def packed(path: str) -> tuple[Parcel, bytes]:
    """A file or folder, with what is known of it, as one piece."""
    name = os.path.basename(os.path.abspath(path))
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", dereference=True) as archive:
        archive.add(path, name)
        if os.path.exists(path + BESIDE):
            archive.add(path + BESIDE, name + BESIDE)
    return Parcel(name, fingerprint(path)), data.getvalue()


def unpacked(parcel: Parcel, fetch: Callable[[], bytes]) -> str:
    """Its path on this machine; it is fetched by the first who needs it, and the others wait for that."""
    folder = os.path.join(home(), FOLDER)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:  # an actor may have no home that it can write to
        folder = os.path.join(tempfile.gettempdir(), f"outlive-{FOLDER}-{os.getuid()}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
    mine = os.path.join(folder, parcel.fingerprint)
    with open(f"{mine}.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(mine):
            fresh = tempfile.mkdtemp(prefix=f"{parcel.fingerprint}.", dir=folder)
            try:
                with tarfile.open(fileobj=io.BytesIO(fetch())) as archive:
                    archive.extractall(fresh, filter="data")
                os.rename(fresh, mine)
            except BaseException:
                shutil.rmtree(fresh, ignore_errors=True)
                raise
    return os.path.join(mine, parcel.name)
