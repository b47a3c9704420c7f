"""TFRecord files that are read to their end: damage costs the damaged record, not the rest of the file.

TensorFlow's own reader reads, in chunks of which one function is called each; it gives a file up at the first record whose checksum is wrong.
Then, and only then, the rest is read here, with the way on behind the damage.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from outlive.data.formats.tfrecords import Record, records, unpacked
from outlive.inside.tfdata.tf_private import library
from outlive.keep.skip import cheap_stages
from outlive.keep.skip.quarantine import Quarantine

#: Records that are handed on together. A prime: files are written with round numbers of records, and a last chunk that is not full says
#: that the reader came to the end.
CHUNK = 61

#: What a record takes in a file beside its data.
FRAME_BYTES = 16


class Reading:
    """One file that is being read."""

    def __init__(self, path: str, packed: bool) -> None:
        self.path = path
        self.packed = packed
        self.count = 0  #: records that TensorFlow has given
        self.bytes = 0  #: and what they take in the file
        self.ended = False  #: with a chunk that was not full
        self.rest: Iterator[Record] | None = None


class Files:
    """All files that are being read, by a number that the pipeline carries."""

    def __init__(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._open: dict[int, Reading] = {}

    def opens(self, path: Any) -> bool:
        """Whether a file can be read; it is named when it cannot."""
        try:
            _first_byte(_text(path))
        except Exception as error:  # a file system's own kind of error
            self._quarantine.add(_first_line(error), file=_text(path))
            return False
        return True

    def opens_or_too_many(self, path: Any) -> bool:
        """Tell whether a file can be read; raises when too many could not."""
        opened = self.opens(path)
        self._quarantine.refuse_more()
        return opened

    def open(self, path: Any, packed: Any) -> int:
        """A file is begun; -1 when it cannot be: TensorFlow's reader would fail again and again, and never come to an end."""
        if not self.opens(path):
            return -1
        with self._lock:
            number = next(self._numbers)
            self._open[number] = Reading(_text(path), bool(packed))
        return number

    def read(self, number: int, count: int, content_bytes: int) -> int:
        """A chunk was read; the number of its first record."""
        reading = self._open[int(number)]
        first = reading.count
        reading.count += int(count)
        reading.bytes += int(content_bytes) + FRAME_BYTES * int(count)
        reading.ended = int(count) < CHUNK
        return first

    def rest(self, number: int) -> tuple[list[int], list[bytes]]:
        """When TensorFlow's reader has ended: records behind the damage, if there is any; nothing at the end."""
        reading = self._open.get(int(number))
        if reading is None:
            return [], []
        if reading.rest is None:
            reading.rest = iter(()) if self._is_whole(reading) else self._behind(reading)
        numbers, found = [], []
        for record in reading.rest:
            if record.data is None:
                self._quarantine.add(
                    record.damage, file=reading.path, record=record.number, offset=record.offset
                )
                continue
            numbers.append(record.number)
            found.append(bytes(record.data))
            if len(found) >= CHUNK:
                break
        if not found:
            self._open.pop(int(number), None)
        return numbers, found

    def _is_whole(self, reading: Reading) -> bool:
        if reading.ended:
            return True
        try:
            return not reading.packed and _size(reading.path) == reading.bytes
        except Exception:  # a file system's own kind of error
            return False

    def _behind(self, reading: Reading) -> Iterator[Record]:
        try:
            data = unpacked(_content(reading.path))
        except Exception as error:
            self._quarantine.add(_first_line(error), file=reading.path)
            return
        found = 0
        for record in records(data):
            found = record.number + 1
            if record.number >= reading.count:
                yield record
        if found < reading.count or (reading.packed and found == reading.count == 0):
            self._quarantine.add("it cannot be fully decompressed", file=reading.path)


def reader(files: Files, file: Any, compression: Any, buffer: Any) -> Any:
    """A dataset of one file: ``(name of the record, record)``."""
    tf = library()

    def opened(path: bytes, kind: bytes) -> Any:
        number = files.open(path, kind != b"")
        return sys.modules["numpy"].int64(number), _texts([path] if number >= 0 else [])

    kind = tf.convert_to_tensor("" if compression is None else compression, tf.string)
    number, there = tf.numpy_function(opened, [file, kind], [tf.int64, tf.string])
    number.set_shape([])
    there.set_shape([None])
    ahead = tf.convert_to_tensor(-1 if buffer is None else buffer, tf.int64)
    native = tf.data.TFRecordDataset(there, compression_type=kind, buffer_size=ahead)

    def noted(number: Any, path: bytes, lengths: Any) -> Any:
        first = files.read(number, len(lengths), int(lengths.sum()))
        return _texts(_names(path, range(first, first + len(lengths))))

    def left(number: Any, path: bytes) -> Any:
        numbers, found = files.rest(number)
        return len(found) > 0, _texts(_names(path, numbers)), _texts(found)

    def named(chunk: Any) -> Any:
        names = tf.numpy_function(noted, [number, file, tf.strings.length(chunk)], tf.string)
        names.set_shape([None])
        return names, chunk

    def behind(_: Any) -> Any:
        more, names, found = tf.numpy_function(
            left, [number, file], [tf.bool, tf.string, tf.string]
        )
        for made, shape in ((more, []), (names, [None]), (found, [None])):
            made.set_shape(shape)
        return more, (names, found)

    texts = tf.TensorSpec([None], tf.string)
    good = cheap_stages.mapped(native.batch(CHUNK).ignore_errors(), named, (texts, texts))
    some = (tf.TensorSpec([], tf.bool), (texts, texts))
    more = cheap_stages.mapped(tf.data.Dataset.range(1 << 40), behind, some)
    more = cheap_stages.taken_while(more, lambda found: found[0])
    return good.concatenate(cheap_stages.second(more)).unbatch()


def if_it_opens(files: Files, file: Any, dataset: Any) -> Any:
    """The dataset of one file, of whatever kind; without elements when the file cannot be opened."""
    tf = library()

    def opened(path: bytes) -> Any:
        return sys.modules["numpy"].bool_(files.opens_or_too_many(path))

    there = tf.ensure_shape(tf.numpy_function(opened, [file], tf.bool), [])
    return dataset.take(tf.where(there, tf.constant(-1, tf.int64), 0))


def _names(path: bytes, numbers: Iterable[int]) -> list[bytes]:
    return [b"%s#%d" % (path, number) for number in numbers]


def record_named(origin: Any) -> Any:
    """The record of a name that the reader gave, read again."""
    tf = library()

    path, _, number = _text(origin).rpartition("#")
    for record in records(unpacked(_content(path))):
        if record.number == int(number) and record.data is not None:
            return tf.constant(bytes(record.data), tf.string)
    raise KeyError(origin)


def _texts(parts: list[bytes]) -> Any:
    return sys.modules["numpy"].array(parts, object).reshape(-1)


def _content(path: str) -> Any:
    """A whole file: mapped when it lies on this machine, else as TensorFlow reads it."""
    import mmap
    import os

    if os.path.isfile(path):
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return b""
            return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    tf = library()

    with tf.io.gfile.GFile(path, "rb") as file:
        return file.read()


def _first_byte(path: str) -> None:
    """Raises when there is no such file, or it may not be read."""
    import os

    if os.path.exists(path):
        with open(path, "rb") as file:
            file.read(1)
        return
    tf = library()

    with tf.io.gfile.GFile(path, "rb") as file:
        file.read(1)


def _size(path: str) -> int:
    import os

    if os.path.exists(path):
        return os.stat(path).st_size
    tf = library()

    return int(tf.io.gfile.stat(path).length)


def _text(value: Any) -> str:
    import os

    return os.fsdecode(value) if isinstance(value, bytes) else str(value)


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__
