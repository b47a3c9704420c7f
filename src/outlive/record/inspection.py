"""A quick look, after the death, at the files that the exception is about: which one is bad, how, and how many more are.

TensorFlow's errors seldom name a file. What the program held does: a name in a variable, the contents of a variable (found again by
length and checksum), the files that a pipeline's sources name. Bounded in time and number; nothing is changed.
"""

from __future__ import annotations

import difflib
import fnmatch
import glob
import gzip
import os
import stat
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from outlive.complaints import Complaint, complaint_of
from outlive.data_use import Inspection, LookedAt, Scene
from outlive.observed import Origin, Thrown
from outlive.record.file_faults import (
    PICTURE_NAMES,
    WEIGHT_NAMES,
    fault_of,
    picture_in,
)
from outlive.record.probe_data import scene_of
from outlive.record.probe_processes import errors_of, quits_of, shown_of
from outlive.record.readings import Payload, Readings
from outlive.record.record_files import features_of, records_in
from outlive.tfrecords import GZIP, HEAD, ZLIB

#: A person waits for the verdict.
SECONDS = 0.7
#: A file system that does not answer must not keep anybody waiting for ever.
SECONDS_FOR_A_DEAD_DISK = 2.0

#: A program knows its own source by name; it is no data.
SOURCES = (".py", ".ipynb", ".toml", ".yaml", ".yml", ".log")

#: Where Pillow begins to warn: three bytes for each make 270 MB.
HUGE_PIXELS = 89_478_485

MAX_FILES = 400
MAX_WALKED = 5000
MAX_CULPRITS = 3
MAX_NAMES = 5
MAX_CONTENT_BYTES = 32_000_000


def inspect_after(error: Thrown, scene: Scene, folder: str) -> Inspection | None:
    """What can be seen in the files that an exception is about; None when it is about none, or nothing can be seen."""
    complaint = complaint_of(error, scene)
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


class _Searcher:
    """One search: what is complained about, where names may be found, until when."""

    def __init__(self, complaint: Complaint, scene: Scene, folder: str) -> None:
        self._complaint = complaint
        self._scene = scene
        self._folder = folder
        self._until = time.monotonic() + SECONDS

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

    @property
    def _in_time(self) -> bool:
        return time.monotonic() < self._until

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._folder, os.path.expanduser(path)))

    def _named(self) -> Iterator[LookedAt]:
        """Files that the message or a variable names, the surest first."""
        if self._complaint.path:
            yield LookedAt(self._absolute(self._complaint.path), "the message")
        for held in self._scene.values:
            if held.path:
                yield LookedAt(self._absolute(held.path), f"the variable `{held.name}`")

    def _contents(self) -> Iterator[LookedAt]:
        """Files whose contents a variable of the program held."""
        wanted = [
            held
            for held in self._scene.values
            if held.crc is not None and self._complaint.size in (None, held.bytes)
        ]
        if not wanted:
            return
        for path, length in self._files_below(self._folders_to_search()):
            for held in wanted:
                if length == held.bytes and _checksum(path) == held.crc:
                    yield LookedAt(path, f"the contents of the variable `{held.name}`", length)

    def _folders_to_search(self) -> list[str]:
        """Where the program is likely to have read from: the folders that it names, then its own."""
        found = [self._folder]
        for held in self._scene.values:
            if held.path:
                path = self._absolute(held.path)
                found.insert(0, path if os.path.isdir(path) else os.path.dirname(path))
        return list(dict.fromkeys(found))

    def _files_below(self, folders: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Regular files with their lengths, nearest first, as many as time allows."""
        waiting = [folder for folder in folders if folder not in ("", "/")]
        done: set[str] = set()
        count = 0
        while waiting and count < MAX_WALKED and self._in_time:
            folder = waiting.pop(0)
            if folder in done:
                continue
            done.add(folder)
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        waiting.append(entry.path)
                elif entry.is_file():
                    yield entry.path, entry.stat().st_size

    def _of_pipeline(self) -> Iterator[LookedAt]:
        pipeline = self._scene.pipeline
        for path in pipeline.files[:MAX_FILES] if pipeline is not None else ():
            if not self._in_time:
                return
            yield LookedAt(self._absolute(path), "the files that the pipeline reads")

    def _listed(self) -> Iterator[LookedAt]:
        """Files that a list of the program names."""
        for held in self._scene.values:
            for path in held.paths:
                if not self._in_time:
                    return
                yield LookedAt(self._absolute(path), f"the list `{held.name}`")

    def _image(self) -> Inspection | None:
        """The picture with a fault that is best known; one without a visible fault only if nothing else can be meant."""
        named = [
            inner
            for one in self._named()
            if one.path.lower().endswith(PICTURE_NAMES) or one.known_by == "the message"
            for inner in self._judged(one)
        ]
        told = [one for one in named if one.known_by == "the message"]
        culprits = told or [one for one in named if one.fault][:1]
        in_a_graph = self._scene.made is not None  # then it was in no variable
        if not culprits and not in_a_graph:  # what was held is proof, though no fault be seen
            culprits = [inner for one in self._contents() for inner in self._judged(one)][:1]
        for others in (self._of_pipeline(), self._listed()):
            if not culprits:
                judged = (inner for one in others for inner in self._judged(one))
                culprits = [one for one in judged if one.fault and self._fits(one)][:MAX_CULPRITS]
        if not culprits and not in_a_graph:
            culprits = named[:1]
        if not culprits:
            return self._missing() if self._complaint.variant == "not read" else None
        return self._with_others(culprits, PICTURE_NAMES)

    def _fits(self, candidate: LookedAt) -> bool:
        return self._complaint.size is None or candidate.bytes == self._complaint.size

    def _judged(self, candidate: LookedAt) -> list[LookedAt]:
        """The file with its length and fault, if it is one."""
        length = _length(candidate.path)
        if length is None:
            return []
        picture = picture_in(candidate.path)
        detail = (
            f"{picture.width}×{picture.height} pixels, {picture.words}"
            if picture is not None
            else ""
        )
        fault = fault_of(candidate.path)
        if self._complaint.kind == "decompression-bomb" and picture is not None:
            huge = picture.width * picture.height >= HUGE_PIXELS
            fault = f"promises {picture.width}×{picture.height} pixels" if huge else ""
        return [replace(candidate, bytes=length, fault=fault, detail=detail)]

    def _with_others(self, culprits: Sequence[LookedAt], endings: tuple[str, ...]) -> Inspection:
        """How many of the same kind in the same folder are bad too."""
        folder = os.path.dirname(culprits[0].path)
        try:
            names = sorted(name for name in os.listdir(folder) if name.lower().endswith(endings))
        except OSError:
            names = []
        seen, bad = 0, []
        for name in names[:MAX_FILES]:
            if not self._in_time:
                break
            path = os.path.join(folder, name)
            if _length(path) is not None:
                seen += 1
                if fault_of(path):
                    bad.append(name)
        return Inspection(
            files=tuple(culprits),
            folder=folder,
            seen=seen,
            bad=len(bad),
            whole=seen == len(names),
            others=tuple(bad[:MAX_NAMES]),
        )

    def _record_files(self) -> Iterator[LookedAt]:
        """What may be the file of records: named, or read by the pipeline."""
        seen = set()
        named = [one for one in self._named() if not one.path.endswith(SOURCES)]
        for candidate in (*self._of_pipeline(), *named, *self._listed()):
            if candidate.path not in seen and _length(candidate.path) is not None:
                seen.add(candidate.path)
                yield candidate

    def _record(self) -> Inspection | None:
        files, bad, culprits = 0, 0, []
        for candidate in self._record_files():
            if not self._in_time:
                break
            files += 1
            found = self._bad_record(candidate)
            if found is not None:
                bad += 1
                culprits.append(found)
        if not culprits:
            return self._only_named()
        # Of a bad checksum TensorFlow names the place of the data, of a bad length that of the record.
        at = self._complaint.offset or 0
        culprits.sort(key=lambda one: one.offset not in (at, at - HEAD.size))
        return Inspection(
            files=tuple(culprits[:MAX_CULPRITS]),
            folder=os.path.dirname(culprits[0].path),
            seen=files,
            bad=bad,
            others=tuple(one.name for one in culprits[:MAX_NAMES]),
        )

    def _only_named(self) -> Inspection | None:
        """The file that the innermost function was reading, though nothing can be seen that is wrong with it."""
        for candidate in self._named():
            length = _length(candidate.path)
            if length is not None and not candidate.path.endswith(SOURCES):
                culprit = replace(candidate, bytes=length)
                return Inspection(files=(culprit,), folder=os.path.dirname(candidate.path))
        return None

    def _bad_record(self, candidate: LookedAt) -> LookedAt | None:
        length = _length(candidate.path)
        known = replace(candidate, bytes=length)
        name = candidate.path.lower()
        try:
            with open(candidate.path, "rb") as file:
                head = file.read(16)
            if name.endswith((".npy", ".npz", *PICTURE_NAMES, *WEIGHT_NAMES)) or not length:
                fault = fault_of(candidate.path)
                return replace(known, fault=fault) if fault else None
            packed = head.startswith(GZIP) and (self._complaint.offset or 0) > 0
            if self._complaint.variant == "compressed" or packed:
                fault = _compression_fault(candidate.path, head)
                return replace(known, fault=fault) if fault else None
            if self._complaint.variant != "tfrecord":
                fault = fault_of(candidate.path)
                return replace(known, fault=fault) if fault else None
            deep = max(0, (self._complaint.offset or 0) - HEAD.size)
            for record in records_in(candidate.path, self._until, deep_from=deep):
                if record.fault:
                    return replace(
                        known,
                        record=record.number,
                        offset=record.offset,
                        fault=record.fault,
                    )
        except OSError:
            return None
        return None

    def _schema(self) -> Inspection | None:
        wanted, expected = self._complaint.name, self._complaint.second
        records = bad = 0
        culprits: list[LookedAt] = []
        for candidate in self._record_files():
            if not self._in_time:
                break
            try:
                for record in records_in(candidate.path, self._until, deep_from=1 << 62):
                    if record.fault:
                        break
                    records += 1
                    fault, detail = _schema_fault(record.data, wanted, expected)
                    if fault:
                        bad += 1
                        if len(culprits) < MAX_CULPRITS:
                            culprits.append(
                                replace(
                                    candidate,
                                    bytes=_length(candidate.path),
                                    record=record.number,
                                    offset=record.offset,
                                    fault=fault,
                                    detail=detail,
                                )
                            )
            except OSError:
                continue
        if not culprits:
            return None
        return Inspection(
            files=tuple(culprits),
            folder=os.path.dirname(culprits[0].path),
            seen=records,
            bad=bad,
            whole=self._in_time,
        )

    def _weights(self) -> Inspection | None:
        for candidate in self._named():
            culprits = [
                replace(candidate, path=path, bytes=_length(path), fault=fault_of(path))
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

    def _missing(self) -> Inspection | None:
        named = (
            held.path for held in self._scene.values if held.path.lower().endswith(PICTURE_NAMES)
        )
        path = self._complaint.path or next(named, "")
        if not path:
            return None
        missing = self._absolute(path)
        parent = missing.rstrip("/")
        while parent and not os.path.exists(parent):
            parent = os.path.dirname(parent)
        rest = missing[len(parent) :].strip("/").split("/")
        try:
            names = sorted(os.listdir(parent)) if os.path.isdir(parent) else []
        except OSError:
            names = []
        return Inspection(
            files=(LookedAt(missing, "the message", _length(missing)),),
            folder=parent,
            seen=len(names),
            exists=parent,
            similar=tuple(_resembling(rest[0], names[:MAX_WALKED])),
        )

    def _shapes(self) -> Inspection | None:
        """The picture that the shape came from, and how many more of its kind there are."""
        for candidate in self._named():
            if not candidate.path.lower().endswith(PICTURE_NAMES):
                continue
            picture = picture_in(candidate.path) if _length(candidate.path) is not None else None
            if picture is None:
                continue
            culprit = self._judged(candidate)[0]
            folder = os.path.dirname(candidate.path)
            seen, other = 0, []
            for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*")))[:MAX_FILES]:
                one = picture_in(path) if self._in_time and _length(path) is not None else None
                if one is not None:
                    seen += 1
                    if one.channels == picture.channels:
                        other.append(os.path.basename(path))
            return Inspection(
                files=(culprit,),
                folder=folder,
                seen=seen,
                bad=len(other),
                others=tuple(other[:MAX_NAMES]),
            )
        return None


def _length(path: str) -> int | None:
    """The length of a regular file; None for everything else: a pipe would make us wait."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _checksum(path: str) -> int | None:
    try:
        if (_length(path) or 0) > MAX_CONTENT_BYTES:
            return None
        with open(path, "rb") as file:
            return zlib.crc32(file.read())
    except OSError:
        return None


def _compression_fault(path: str, head: bytes) -> str:
    """What is wrong with a file that was to be decompressed."""
    if head.startswith(GZIP):
        try:
            with gzip.open(path) as file:
                while file.read(1 << 20):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            return f"is a damaged GZIP file ({error})"
        return ""
    return "" if head.startswith(ZLIB) else "is not compressed, and is read as if it were"


def _schema_fault(data: bytes, wanted: str, expected: str) -> tuple[str, str]:
    features = features_of(data)
    if features is None:
        return "is no tf.train.Example", ""
    detail = ", ".join(f"{name} ({kind})" for name, kind in sorted(features.items())[:12])
    if not wanted:
        return "", detail
    if wanted not in features:
        return f"has no feature `{wanted}`", detail
    kind = {"string": "bytes"}.get(expected, expected)
    if kind in ("bytes", "float", "int64") and features[wanted] != kind:
        return f"holds `{wanted}` as {features[wanted]}, not {kind}", detail
    return "", detail


def _parts_of_model(path: str) -> list[str]:
    """The files that a model or checkpoint of this name consists of."""
    if os.path.isdir(path):
        found = [os.path.join(path, "saved_model.pb")]
        found += sorted(glob.glob(os.path.join(glob.escape(path), "variables", "*")))
    else:
        found = [path, *sorted(glob.glob(glob.escape(path) + ".*"))]
    return [one for one in found if _length(one) is not None]


def _resembling(wanted: str, names: Sequence[str]) -> Iterable[str]:
    """Names that somebody may have meant: alike, or of the same kind with another ending."""
    if any(mark in wanted for mark in "*?["):
        stem = wanted.rpartition(".")[0] or "*"
        return [name for name in names if fnmatch.fnmatch(name.lower(), f"{stem.lower()}.*")][
            :MAX_NAMES
        ]
    lowered = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), lowered, MAX_NAMES, 0.7)
    return [lowered[name] for name in close]
