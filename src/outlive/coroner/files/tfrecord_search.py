"""Which file of records an exception is about, and which record in it is damaged or not as it was expected."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import replace

from outlive.coroner.files.candidates import MAX_CULPRITS, MAX_NAMES, Candidates, length_of
from outlive.coroner.files.tfrecord_files import counted_features, features_of, records_in
from outlive.data.formats.file_faults import PICTURE_NAMES, WEIGHT_NAMES, fault_of
from outlive.data.formats.tfrecords import GZIP, HEAD, ZLIB
from outlive.model.data import Inspection, LookedAt

#: More are not told.
MAX_FEATURES = 40

#: A program knows its own source by name; it is no data.
SOURCES = (".py", ".ipynb", ".toml", ".yaml", ".yml", ".log")


class RecordSearch(Candidates):
    """The search for the TFRecord file, and the record in it, that an exception is about."""

    def _record_files(self) -> Iterator[LookedAt]:
        """What may be the file of records: named, or read by the pipeline."""
        seen = set()
        named = [one for one in self._named() if not one.path.endswith(SOURCES)]
        for candidate in (*self._of_pipeline(), *named, *self._listed()):
            if candidate.path not in seen and length_of(candidate.path) is not None:
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
            length = length_of(candidate.path)
            if length is not None and not candidate.path.endswith(SOURCES):
                culprit = replace(candidate, bytes=length)
                return Inspection(files=(culprit,), folder=os.path.dirname(candidate.path))
        return None

    def _bad_record(self, candidate: LookedAt) -> LookedAt | None:
        length = length_of(candidate.path)
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
                if fault or self._complaint.variant == "compressed":
                    return replace(known, fault=fault) if fault else None
            if self._complaint.variant != "tfrecord":
                fault = fault_of(candidate.path)
                return replace(known, fault=fault) if fault else None
            deep = max(0, (self._complaint.offset or 0) - HEAD.size)
            for record in records_in(candidate.path, self._until, deep_from=deep, unpack=packed):
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
        alike = ""
        culprits: list[LookedAt] = []
        for candidate in self._record_files():
            if not self._in_time:
                break
            try:
                for record in records_in(
                    candidate.path, self._until, deep_from=1 << 62, unpack=True
                ):
                    if record.fault:
                        break
                    records += 1
                    alike = alike or _alike(record.data, wanted)
                    fault, detail = _schema_fault(record.data, wanted, expected)
                    fault = fault or self._count_fault(record.data)
                    if fault:
                        bad += 1
                        if len(culprits) < MAX_CULPRITS:
                            culprits.append(
                                replace(
                                    candidate,
                                    bytes=length_of(candidate.path),
                                    record=record.number,
                                    offset=record.offset,
                                    fault=fault,
                                    detail=detail,
                                    features=counted_features(record.data)[:MAX_FEATURES],
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
            similar=(alike,) if alike and bad == records else (),
        )

    def _count_fault(self, data: bytes) -> str:
        """What a record has that was read with another number of values; the reader's number is not in every message."""
        if self._complaint.variant != "number":
            return ""
        wanted = self._complaint.name.strip()
        named = [one for one in counted_features(data) if one.name == wanted]
        for one in named:
            told = self._complaint.first
            if (told and told != str(one.count)) or (not told and one.count == 1):
                return ""
            return f"has {one.count} values in `{wanted}`"
        return ""


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
    return "" if head.startswith(ZLIB) else "is not compressed, but is read as compressed"


def _alike(data: bytes, wanted: str) -> str:
    """The feature of a record that is written as the wanted one, but for capitals and signs."""
    known = features_of(data) or {}
    same = [name for name in known if name != wanted and _letters(name) == _letters(wanted)]
    return same[0] if same and wanted not in known and _letters(wanted) else ""


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _schema_fault(data: bytes, wanted: str, expected: str) -> tuple[str, str]:
    features = features_of(data)
    if features is None:
        return "is not a tf.train.Example", ""
    detail = ", ".join(f"{name} ({kind})" for name, kind in sorted(features.items())[:12])
    if not wanted:
        return "", detail
    if wanted not in features:
        return f"has no feature `{wanted}`", detail
    kind = {"string": "bytes"}.get(expected, expected)
    if kind in ("bytes", "float", "int64") and features[wanted] != kind:
        return f"holds `{wanted}` as {features[wanted]}, not {kind}", detail
    return "", detail
