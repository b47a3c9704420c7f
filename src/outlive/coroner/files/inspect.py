"""A quick look, after the death, at the files that the exception is about: which one is bad, how, and how many more are.

TensorFlow's errors seldom name a file. What the program held does: a name in a variable, the contents of a variable (found again by
length and checksum), the files that a pipeline's sources name. Bounded in time and number; nothing is changed.
"""

from __future__ import annotations

import glob
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace

from outlive.coroner.files.candidates import length_of
from outlive.coroner.files.picture_search import PictureSearch
from outlive.coroner.files.tfrecord_search import RecordSearch
from outlive.coroner.gather.data import scene_of
from outlive.coroner.gather.processes import errors_of, quits_of, shown_of
from outlive.coroner.readings.readings import Payload, Readings
from outlive.data.formats.file_faults import fault_of
from outlive.model.data import Inspection, Scene
from outlive.model.events import Origin, Thrown
from outlive.recorder.store.users_files import is_foreign
from outlive.units.complaints import complaint_of

#: A file system that does not answer must not keep anybody waiting for ever.
SECONDS_FOR_A_DEAD_DISK = 2.0


def inspect_after(error: Thrown, scene: Scene, folder: str) -> Inspection | None:
    """What can be seen in the files that an exception is about; None when it is about none, or nothing can be seen."""
    complaint = complaint_of(error, scene) if not is_foreign() else None
    if complaint is None:
        return None
    found: list[Inspection] = []

    def search() -> None:
        view = _Searcher(complaint, scene, folder).look()
        if view is not None:
            found.append(view)

    thread = threading.Thread(target=search, daemon=True)
    thread.start()
    thread.join(SECONDS_FOR_A_DEAD_DISK)
    return found[0] if found else None


def inspect(payloads: Sequence[Payload], rings: str | None) -> dict[str, object] | None:
    """The same for a run, as it is written into its record."""
    readings = Readings(payloads, rings)
    pid = readings.principal.pid if readings.principal is not None else 0
    ended = [error for error in errors_of(readings) if error.origin is Origin.MAIN]
    mine = [error for error in ended if error.pid == pid] or ended
    error = mine[-1] if mine else _caught(readings, pid)
    if error is None:
        return None
    scene = scene_of(readings)
    found = inspect_after(error, scene, scene.folder or str(readings.run.get("folder", "")))
    return asdict(found) if found is not None else None


def _caught(readings: Readings, pid: int) -> Thrown | None:
    """The exception that the program was handling when it left, or else the only one that it had shown."""
    left = [quit for quit in quits_of(readings) if quit.pid == pid and quit.status][-1:]
    handled = [quit.handling for quit in left if quit.handling is not None]
    shown = shown_of(readings)
    return next(iter(handled), None) or (shown[0] if len(shown) == 1 else None)


class _Searcher(PictureSearch, RecordSearch):
    """One search, by what is complained about."""

    def look(self) -> Inspection | None:
        kinds = {
            "corrupt-image": self._image,
            "decompression-bomb": self._image,
            "corrupt-record": self._record,
            "record-schema-mismatch": self._schema,
            "corrupt-weights": self._weights,
            "missing-file": self._missing,
            "shape-mismatch": self._shapes,
        }
        search = kinds.get(self._complaint.kind)
        return search() if search is not None else None

    def _weights(self) -> Inspection | None:
        for candidate in self._named():
            culprits = [
                replace(candidate, path=path, bytes=length_of(path), fault=fault_of(path))
                for path in _parts_of_model(candidate.path)
            ]
            # Where no fault can be seen: a model's graph is parsed, its variables are only read and summed up.
            parsed = "pars" in self._complaint.words.lower()
            culprits.sort(key=lambda one: (not one.fault, one.path.endswith(".pb") != parsed))
            if culprits:
                return Inspection(
                    files=tuple(culprits[:1]), folder=os.path.dirname(culprits[0].path)
                )
        return self._missing()


def _parts_of_model(path: str) -> list[str]:
    """The files that a model or checkpoint of this name consists of."""
    if os.path.isdir(path):
        found = [os.path.join(path, "saved_model.pb")]
        found += sorted(glob.glob(os.path.join(glob.escape(path), "variables", "*")))
    else:
        found = [path, *sorted(glob.glob(glob.escape(path) + ".*"))]
    return [one for one in found if length_of(one) is not None]
