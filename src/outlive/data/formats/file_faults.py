"""What is wrong with a data file, by its own marks: signatures, lengths, checksums. Standard library only, nothing is decoded.

A quick look after a death, not a validation: a file without a fault here may still be bad. Every reading is bounded.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib

from outlive.data.formats.image_headers import (
    BMP,
    DAMAGED,
    END_MARKS,
    GIF,
    JPEG,
    PNG,
    PNG_CHANNELS,
    SCAN,
    TIFF,
    is_heif,
    is_webp,
    jpeg_parts,
    png_chunks,
    size_in,
)
from outlive.model.quick_dataclass import dataclass

#: Larger files are judged by their beginning and end.
MAX_BYTES_READ = 32_000_000
HEAD_BYTES = 4096

HDF5 = b"\x89HDF\r\n\x1a\n"
NUMPY = b"\x93NUMPY"
ZIP = b"PK"
TFLITE = b"TFL3"
#: The last eight bytes of a table of LevelDB, which a checkpoint's index is.
TABLE_END = bytes.fromhex("57fb808b247547db")

PICTURE_NAMES = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff")
WEIGHT_NAMES = (".keras", ".h5", ".hdf5", ".weights.h5", ".tflite", ".index", ".pb", ".ckpt")

PNG_WORDS = {0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGBA"}
JPEG_WORDS = {1: "grey", 3: "RGB", 4: "CMYK"}


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture's header says."""

    width: int
    height: int
    channels: int
    words: str  #: RGB, RGBA, grey …


def fault_of(path: str) -> str:
    """Say what is wrong with a file, to follow its name in a sentence; empty when it looks whole or its format is not known."""
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
        return "is an HTML page: the download failed, and the error page was saved"
    if start.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer: the real file was never downloaded (git lfs pull)"
    if start.startswith((b"<?xml", b"<error")):
        return "is an XML document, such as a storage server's error response"
    return ""


def _fault_of_content(path: str, data: bytes, length: int) -> str:
    name = path.lower()
    if data.startswith(PNG):
        return _png(data)
    if data.startswith(JPEG):
        return _jpeg(data)
    if data.startswith(GIF):
        return "" if data.rstrip(b"\0").endswith(b";") else "is truncated (no GIF end marker)"
    if data.startswith(BMP) and name.endswith(".bmp"):
        return _shorter(length, struct.unpack_from("<I", data, 2)[0]) if length >= 6 else "is cut"
    if is_webp(data):
        return _shorter(length, struct.unpack_from("<I", data, 4)[0] + 8)
    if data.startswith(HDF5):
        return _hdf5(data, length)
    if data.startswith(NUMPY):
        return _numpy(data, length)
    if data.startswith(ZIP):
        return _zip(path)
    if data.startswith(TIFF):
        return ""  # it has no mark of its end: who decodes it says what is wrong
    if is_heif(data) and name.endswith(PICTURE_NAMES):
        return "is a HEIC or AVIF picture, or a video, with the wrong file name"
    if name.endswith(PICTURE_NAMES):
        return f"does not start like a picture ({_shown(data)})"
    if name.endswith((".keras", ".npz", ".zip")):
        return f"is not a zip archive, as such a file must be (it starts with {_shown(data)})"
    if name.endswith((".h5", ".hdf5")):
        return f"is not an HDF5 file (it starts with {_shown(data)})"
    if name.endswith(".npy"):
        return f"is not a NumPy file (it starts with {_shown(data)})"
    if name.endswith(".tflite"):
        return (
            "" if data[4:8] == TFLITE else f"is not a TFLite model (it starts with {_shown(data)})"
        )
    if name.endswith(".index"):
        return "" if data.endswith(TABLE_END) else "is truncated (the index has no end marker)"
    return ""


def _shown(data: bytes) -> str:
    text = data[:12]
    printable = re.fullmatch(rb"[\x20-\x7e\r\n\t]+", text)
    return repr(text.decode("ascii")) if printable else f"bytes {text[:8].hex(' ')}"


def _shorter(length: int, expected: int) -> str:
    if length >= expected:
        return ""
    return f"is truncated: {length} bytes of the {expected} that its header promises"


def _png(data: bytes) -> str:
    """Every chunk has a checksum of its own."""
    for at, name, is_right in png_chunks(data):
        if not is_right:
            return f"fails its checksum (chunk {name.decode('latin-1')} at byte {at})"
        if name == END_MARKS["PNG"]:
            return ""
    return f"is truncated (after {len(data)} bytes, no PNG end marker)"


def _jpeg(data: bytes) -> str:
    """The parts before the scan have lengths; the scan has an end mark."""
    for at, marker in jpeg_parts(data):
        if marker == DAMAGED:
            return f"is damaged (no JPEG marker at byte {at})"
        if marker == SCAN:
            return "" if END_MARKS["JPEG"] in data[at:] else "is truncated (no JPEG end marker)"
    return f"is truncated (after {len(data)} bytes, before its pixel data)"


def _hdf5(data: bytes, length: int) -> str:
    """The superblock says where the file ends."""
    version = data[8] if len(data) > 8 else 0
    at = 40 if version < 2 else 28
    if len(data) < at + 8:
        return "is truncated in its header"
    return _shorter(length, struct.unpack_from("<Q", data, at)[0])


NUMPY_TYPE = re.compile(rb"'descr':\s*'[<>|=]?([a-zA-Z])(\d+)'")
NUMPY_SHAPE = re.compile(rb"'shape':\s*\(([\d,\s]*)\)")


def _numpy(data: bytes, length: int) -> str:
    """The header says type and shape, so how long the file must be."""
    wide = len(data) > 6 and data[6] >= 2
    if len(data) < 12:
        return "is truncated in its header"
    size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    header = data[: (12 if wide else 10) + size]
    kind, shape = NUMPY_TYPE.search(header), NUMPY_SHAPE.search(header)
    if len(header) > length or kind is None or shape is None:
        return "is truncated in its header" if len(header) >= length else ""
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
        size = size_in(data)
        return Picture(*size, JPEG_WORDS.get(size[2], "")) if size is not None else None
    return None
