"""What is wrong with a data file, by its own marks: signatures, lengths, checksums. Standard library only, nothing is decoded.

A quick look after a death, not a validation: a file without a fault here may still be bad. Every reading is bounded.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass

#: Larger files are judged by their beginning and end.
MAX_BYTES_READ = 32_000_000
HEAD_BYTES = 4096

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8"
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
HDF5 = b"\x89HDF\r\n\x1a\n"
NUMPY = b"\x93NUMPY"
ZIP = b"PK"
TFLITE = b"TFL3"
#: The last eight bytes of a table of LevelDB, which a checkpoint's index is.
TABLE_END = bytes.fromhex("57fb808b247547db")

PICTURE_NAMES = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff")
WEIGHT_NAMES = (".keras", ".h5", ".hdf5", ".weights.h5", ".tflite", ".index", ".pb", ".ckpt")

#: PNG's colour types, and how many channels a reader makes of them.
PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
PNG_WORDS = {0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGBA"}
JPEG_WORDS = {1: "grey", 3: "RGB", 4: "CMYK"}
#: Markers of JPEG that start a frame and hold its size.
JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture's header says."""

    width: int
    height: int
    channels: int
    words: str  #: RGB, RGBA, grey …


def fault_of(path: str) -> str:
    """What is wrong with a file, to follow its name in a sentence; nothing when it looks whole or is not known."""
    try:
        length = os.path.getsize(path)
        if length == 0:
            return "is empty (0 bytes)"
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
            mistaken = _something_else(head)
            if mistaken:
                return mistaken
            if length <= MAX_BYTES_READ:
                return _fault_of_content(path, head + file.read(), length)
        return ""
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _something_else(head: bytes) -> str:
    """A text where data should be: a failed download, a pointer."""
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head")):
        return "is a web page (HTML): the download failed, and the error page was saved"
    if start.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer: the real file was never downloaded (git lfs pull)"
    if start.startswith((b"<?xml", b"<error")):
        return "is an XML text, such as a storage server answers with"
    return ""


def _fault_of_content(path: str, data: bytes, length: int) -> str:
    name = path.lower()
    if data.startswith(PNG):
        return _png(data)
    if data.startswith(JPEG):
        return _jpeg(data)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return (
            "" if data.rstrip(b"\0").endswith(b";") else "ends in the middle (no end mark of GIF)"
        )
    if data.startswith(b"BM") and name.endswith(".bmp"):
        return _shorter(length, struct.unpack_from("<I", data, 2)[0]) if length >= 6 else "is cut"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _shorter(length, struct.unpack_from("<I", data, 4)[0] + 8)
    if data.startswith(HDF5):
        return _hdf5(data, length)
    if data.startswith(NUMPY):
        return _numpy(data, length)
    if data.startswith(ZIP):
        return _zip(path)
    if data.startswith(TIFF):
        return ""  # it has no mark of its end: who decodes it says what is wrong
    if data[4:8] == b"ftyp" and name.endswith(PICTURE_NAMES):
        return "is a HEIC or AVIF picture, or a film, under another name"
    if name.endswith(PICTURE_NAMES):
        return f"begins like no picture ({_shown(data)})"
    if name.endswith((".keras", ".npz", ".zip")):
        return f"is no zip archive, which such a file is (it begins with {_shown(data)})"
    if name.endswith((".h5", ".hdf5")):
        return f"is no HDF5 file (it begins with {_shown(data)})"
    if name.endswith(".npy"):
        return f"is no NumPy file (it begins with {_shown(data)})"
    if name.endswith(".tflite"):
        return "" if data[4:8] == TFLITE else f"is no TFLite model (it begins with {_shown(data)})"
    if name.endswith(".index"):
        return "" if data.endswith(TABLE_END) else "ends in the middle (the index has no end mark)"
    return ""


def _shown(data: bytes) -> str:
    text = data[:12]
    printable = re.fullmatch(rb"[\x20-\x7e\r\n\t]+", text)
    return repr(text.decode("ascii")) if printable else f"bytes {text[:8].hex(' ')}"


def _shorter(length: int, expected: int) -> str:
    if length >= expected:
        return ""
    return f"ends in the middle: {length} bytes of the {expected} that its header promises"


def _png(data: bytes) -> str:
    """Every chunk has a checksum of its own."""
    at = len(PNG)
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 4 : at + 8 + length]
        end = at + 12 + length
        if end > len(data):
            break
        if zlib.crc32(body) != struct.unpack_from(">I", data, end - 4)[0]:
            return f"fails its checksum (chunk {kind.decode('latin-1')} at byte {at})"
        if kind == b"IEND":
            return ""
        at = end
    return f"ends in the middle (after {len(data)} bytes, no end mark of PNG)"


def _jpeg(data: bytes) -> str:
    """The parts before the scan have lengths; the scan has an end mark."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return f"is damaged (no JPEG marker at byte {at})"
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            return "" if b"\xff\xd9" in data[at:] else "ends in the middle (no end mark of JPEG)"
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return f"ends in the middle (after {len(data)} bytes, before its picture begins)"


def _hdf5(data: bytes, length: int) -> str:
    """The superblock says where the file ends."""
    version = data[8] if len(data) > 8 else 0
    at = 40 if version < 2 else 28
    if len(data) < at + 8:
        return "ends in the middle of its header"
    return _shorter(length, struct.unpack_from("<Q", data, at)[0])


NUMPY_TYPE = re.compile(rb"'descr':\s*'[<>|=]?([a-zA-Z])(\d+)'")
NUMPY_SHAPE = re.compile(rb"'shape':\s*\(([\d,\s]*)\)")


def _numpy(data: bytes, length: int) -> str:
    """The header says type and shape, so how long the file must be."""
    wide = len(data) > 6 and data[6] >= 2
    if len(data) < 12:
        return "ends in the middle of its header"
    size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    header = data[: (12 if wide else 10) + size]
    kind, shape = NUMPY_TYPE.search(header), NUMPY_SHAPE.search(header)
    if len(header) > length or kind is None or shape is None:
        return "ends in the middle of its header" if len(header) >= length else ""
    total = int(kind[2]) * (4 if kind[1] == b"U" else 1)
    for side in shape[1].replace(b" ", b"").split(b","):
        total *= int(side) if side else 1
    return _shorter(length, len(header) + total)


def _zip(path: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        return f"is a damaged zip archive ({error})"
    return f"is a damaged zip archive (its member {bad} fails the checksum)" if bad else ""


def picture_in(path: str) -> Picture | None:
    """Size and channels of a PNG or JPEG, by its header."""
    try:
        with open(path, "rb") as file:
            data = file.read(512 * 1024)
    except OSError:
        return None
    if data.startswith(PNG) and len(data) >= 26:
        width, height = struct.unpack_from(">II", data, 16)
        colour = data[25]
        return Picture(width, height, PNG_CHANNELS.get(colour, 0), PNG_WORDS.get(colour, ""))
    if data.startswith(JPEG):
        return _jpeg_size(data)
    return None


def _jpeg_size(data: bytes) -> Picture | None:
    at = 2
    while at + 10 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in JPEG_FRAMES:
            height, width, channels = struct.unpack_from(">HHB", data, at + 5)
            return Picture(width, height, channels, JPEG_WORDS.get(channels, ""))
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None
