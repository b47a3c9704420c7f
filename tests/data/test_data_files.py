"""What a file's own marks tell, what its records hold, and which file an exception is about: on files that are really damaged."""

from __future__ import annotations

import gzip
import os
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from outlive.coroner.files.inspect import inspect_after
from outlive.coroner.files.tfrecord_files import features_of, records_in
from outlive.coroner.lines.origins import origin_of
from outlive.coroner.readings.source_lines import SourceLines
from outlive.data.formats.file_faults import fault_of, picture_in
from outlive.data.formats.tfrecords import masked
from outlive.model.data import Held, Pipeline, Scene
from outlive.model.events import Thrown
from outlive.model.findings import Place

HERE = Place("train.py", 3, "main", "run()")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 4, height: int = 4, colour: int = 2) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    data = zlib.compress(os.urandom(width * height * 4))
    begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    return begin + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg(channels: int = 3) -> bytes:
    frame = struct.pack(">BHHB", 8, 20, 30, channels) + b"\0" * 3 * channels
    begin = b"\xff\xd8\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame
    return begin + b"\xff\xda\x00\x02" + b"picture" * 20 + b"\xff\xd9"


def record(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    checksums = [struct.pack("<I", masked(part)) for part in (head, data)]
    return head + checksums[0] + data + checksums[1]


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def numpy_file(count: int) -> bytes:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100,), }\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 8 * count


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("good.png", png(), ""),
        ("good.jpg", jpeg(), ""),
        ("padded.jpg", jpeg() + b"\0" * 9, ""),
        ("good.gif", b"GIF89a" + b"x" * 20 + b";", ""),
        ("good.npy", numpy_file(100), ""),
        ("notes.txt", b"anything", ""),
        ("weights.index", b"x" * 40 + bytes.fromhex("57fb808b247547db"), ""),
        ("empty.png", b"", "is empty"),
        ("page.jpg", b"\n<!DOCTYPE html><html>", "HTML page"),
        ("pointer.h5", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ("cut.png", png()[:-20], "is truncated"),
        ("flipped.png", flipped(png(), 50), "fails its checksum"),
        ("cut.jpg", jpeg()[:-30], "no JPEG end marker"),
        ("stub.jpg", jpeg()[:8], "before its pixel data"),
        ("cut.gif", b"GIF89a" + b"x" * 20, "is truncated"),
        ("text.png", b"hello there", "does not start like a picture"),
        ("any.tif", b"II*\0" + bytes(40), ""),
        ("phone.jpg", b"\0\0\0\x18ftypheic" + bytes(40), "HEIC"),
        ("cut.npy", numpy_file(60), "is truncated"),
        ("no.keras", b"hello", "not a zip archive"),
        ("no.tflite", b"hello there", "not a TFLite model"),
        ("cut.index", b"x" * 40, "is truncated"),
        ("cut.h5", b"\x89HDF\r\n\x1a\n" + bytes(32) + struct.pack("<Q", 4000) + b"x" * 90, "is truncated"),
    ],
)  # fmt: skip
def test_a_file_is_judged_by_its_own_marks(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)

    fault = fault_of(str(path))

    assert (words in fault) if words else (fault == "")


def test_no_prefix_of_a_picture_makes_the_judge_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    for whole in (png(), jpeg()):
        for end in range(len(whole)):
            path.write_bytes(whole[:end])

            assert fault_of(str(path)), end
            picture_in(str(path))


def test_a_damaged_archive_is_told_from_a_good_one(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "{}" * 50)
    good = path.read_bytes()

    assert "" == fault_of(str(path))
    for bad in (good[:-30], flipped(good, 60)):
        path.write_bytes(bad)
        assert "damaged zip archive" in fault_of(str(path))


def test_what_cannot_be_read_is_no_reason_to_fail(tmp_path: Path) -> None:
    assert "cannot be read" in fault_of(str(tmp_path / "gone.png"))
    assert "cannot be read" in fault_of(str(tmp_path))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (png(30, 20, 6), (30, 20, 4, "RGBA")),
        (png(30, 20, 0), (30, 20, 1, "grey")),
        (jpeg(3), (30, 20, 3, "RGB")),
        (jpeg(4), (30, 20, 4, "CMYK")),
    ],
)
def test_a_header_tells_size_and_channels(
    tmp_path: Path, data: bytes, expected: tuple[int, int, int, str]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)

    seen = picture_in(str(path))

    assert seen is not None
    assert expected == (seen.width, seen.height, seen.channels, seen.words)


def soon() -> float:
    return time.monotonic() + 30


def test_records_are_walked_and_the_bad_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    data = b"".join(record(bytes([number]) * 30) for number in range(5))
    cases = {
        "": data,
        "fails its checksum": flipped(data, 3 * 46 + 20),
        "has a damaged length": flipped(data, 3 * 46 + 2),
        "is truncated": data[: 3 * 46 + 20],
    }
    for words, content in cases.items():
        path.write_bytes(content)

        bad = [one for one in records_in(str(path), soon()) if one.fault]

        assert bool(words) == bool(bad)
        assert not bad or (words in bad[0].fault and (3, 3 * 46) == (bad[0].number, bad[0].offset))


def test_no_damage_to_a_file_of_records_makes_the_reader_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    data = b"".join(record(bytes([number]) * 9) for number in range(3))
    for at in range(len(data)):
        path.write_bytes(flipped(data, at))
        assert [one for one in records_in(str(path), soon()) if one.fault], at
        path.write_bytes(data[:at])
        list(records_in(str(path), soon()))


def test_a_compressed_file_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    path.write_bytes(gzip.compress(record(b"x" * 40)))

    first = next(records_in(str(path), soon()))

    assert "GZIP" in first.fault


def field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, len(data)]) + data


def example(**features: int) -> bytes:
    """A tf.train.Example whose features hold a list of this kind: 1 bytes, 2 float, 3 int64."""
    entries = [
        field(1, field(1, name.encode()) + field(2, field(kind, field(1, b"\1"))))
        for name, kind in features.items()
    ]
    return field(1, b"".join(entries))


def test_the_features_of_an_example_are_read() -> None:
    assert {"image": "bytes", "label": "int64"} == features_of(example(image=1, label=3))
    assert features_of(b"hello world this is no example") is None
    assert features_of(b"") is None


def complaint(kind: str, message: str) -> Thrown:
    return Thrown(f"tensorflow.python.framework.errors_impl.{kind}", message, (HERE,))


def test_a_file_is_found_by_the_contents_of_a_variable(tmp_path: Path) -> None:
    bad = flipped(png(), 50)
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(png())
    (tmp_path / "c.png").write_bytes(bad)
    raw = Held("raw", "tf.Tensor", HERE, bytes=len(bad), crc=zlib.crc32(bad))

    seen = inspect_after(
        complaint("InvalidArgumentError", f"Invalid PNG data, size {len(bad)} [Op:DecodePng]"),
        Scene((raw,)),
        str(tmp_path),
    )

    assert seen is not None
    assert ["c.png"] == [file.name for file in seen.files]
    assert (1, 3) == (seen.bad, seen.seen)


def test_a_file_is_found_among_those_of_a_pipeline(tmp_path: Path) -> None:
    for part in range(4):
        data = b"".join(record(bytes([number]) * 30) for number in range(6))
        (tmp_path / f"{part}.tfrecord").write_bytes(
            flipped(data, 2 * 46 + 20) if part == 2 else data
        )
    files = tuple(f"{part}.tfrecord" for part in range(4))

    seen = inspect_after(
        complaint("DataLossError", f"corrupted record at {2 * 46 + 12} [Op:IteratorGetNext]"),
        Scene(pipeline=Pipeline((), files)),
        str(tmp_path),
    )  # fmt: skip

    assert seen is not None
    assert ("2.tfrecord", 2, 2 * 46) == (seen.files[0].name, seen.files[0].record, seen.files[0].offset)  # fmt: skip


def test_the_record_that_lacks_a_feature_is_found(tmp_path: Path) -> None:
    rows = [example(a=3, label=3), example(a=3), example(a=3, label=2)]
    (tmp_path / "x.tfrecord").write_bytes(b"".join(map(record, rows)))
    scene = Scene((Held("path", "str", HERE, path="x.tfrecord"),))
    told = "Feature: label (data type: int64) is required but could not be found."

    seen = inspect_after(complaint("InvalidArgumentError", told), scene, str(tmp_path))

    assert seen is not None
    assert [1, 2] == [file.record for file in seen.files]
    assert (2, 3) == (seen.bad, seen.seen)


def test_a_missing_path_is_followed_as_far_as_it_exists(tmp_path: Path) -> None:
    (tmp_path / "data" / "train").mkdir(parents=True)
    told = Thrown(
        "FileNotFoundError",
        "[Errno 2] No such file or directory: 'data/trian/a.png'",
        (HERE,),
        bases=("OSError",),
    )

    seen = inspect_after(told, Scene(), str(tmp_path))

    assert seen is not None
    assert str(tmp_path / "data") == seen.exists
    assert ("train",) == seen.similar


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    scene = Scene((Held("path", "str", HERE, path="a.png"),))

    seen = inspect_after(
        complaint("InvalidArgumentError", "Invalid PNG data, size 3"), scene, str(tmp_path)
    )

    assert seen is None


SOURCE = """\
import glob


def find():
    return sorted(glob.glob("*.png"))


class Loader:
    def __init__(self):
        self.files = find()

    def run(self, count):
        first, rest = self.files[0], 3
        with open(first) as handle:
            text = handle.read()
        text = text.strip()
        return text[count]
"""


@pytest.mark.parametrize(
    ("name", "line", "calls"),
    [
        ("text", 16, {"strip"}),
        ("first", 13, set()),
        ("handle", 14, {"open"}),
        ("self.files", 10, {"find", "sorted", "glob"}),
        ("count", None, set()),
    ],
)
def test_the_line_that_gave_a_name_its_value_is_found(
    tmp_path: Path, name: str, line: int | None, calls: set[str]
) -> None:
    (tmp_path / "loader.py").write_text(SOURCE)
    lines = SourceLines(str(tmp_path))

    made, called = origin_of(name, Place("loader.py", 17, "run"), lines)

    assert line == (made.line if made else None)
    assert calls == set(called)
