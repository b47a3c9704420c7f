"""One picture: would a TensorFlow program decode it, and to what it expects?

Formats are told by their first bytes, never by the name. JPEG is decoded to an eighth of its size with libjpeg-turbo's strict mode
when ``simplejpeg`` is there (it finds damage that TensorFlow decodes to garbage without a word), everything else with Pillow. A
picture that is too large for the budget is never decoded.
"""

from __future__ import annotations

import io
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from outlive.data.formats.image_headers import (
    END_MARKS,
    HEAD_BYTES,
    format_of,
    jpeg_parts,
    png_chunks,
)
from outlive.data.scan.flaws import Flaw
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: The extensions that go with the formats.
EXTENSIONS = {
    "JPEG": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "PNG": (".png",),
    "GIF": (".gif",),
    "BMP": (".bmp", ".dib"),
    "WEBP": (".webp",),
    "TIFF": (".tif", ".tiff"),
    "HEIC": (".heic", ".heif"),
    "AVIF": (".avif",),
}
ALL_EXTENSIONS = frozenset(extension for group in EXTENSIONS.values() for extension in group)

#: tf.io.decode_image knows JPEG, PNG, BMP and GIF (as four dimensions); decode_jpeg and decode_png read each other's.
NOT_DECODED = ("GIF", "WEBP", "TIFF", "HEIC", "AVIF")

#: A TIFF may have pages, a JPEG a preview: those are not moving.
ANIMATED = ("GIF", "WEBP", "PNG")

#: FACTS: about 18 bytes a pixel at the peak of a detector's run.
BYTES_PER_PIXEL = 18

#: A picture that unpacks to this many times its size, and is large, was made to do harm.
BOMB_RATIO = 200
BOMB_PIXELS = 50_000_000

#: How Pillow names bytes that it was given.
IN_MEMORY = re.compile(r"\s{0,4}<[\w.]{1,100} object at 0x[0-9a-f]{1,16}>")

UPRIGHT = 1
ORIENTATION_TAG = 0x0112


@dataclass(frozen=True, slots=True)
class Picture:
    """What was found out about one picture."""

    flaws: tuple[Flaw, ...] = ()
    format: str = ""
    width: int = 0
    height: int = 0
    grey: bool | None = None  #: None: it could not be told
    frames: int = 1


def looks_like(head: bytes) -> str:
    """Say what a file that is not a picture seems to be."""
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")) or b"<html" in start:
        return "an HTML page (most likely a server's error page)"
    if start.startswith(b"<"):
        return "XML"
    if start.startswith((b"{", b"[")):
        return "JSON"
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer: the actual file was not downloaded"
    if not head.strip(b"\0"):
        return "nothing but zero bytes"
    printable = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in head)
    return "text" if printable > 0.9 * len(head) else "an unknown format"


def check_file(path: str, budget: int | None) -> Picture:
    """Check a picture on the disk."""
    try:
        on_disk = os.path.getsize(path)
        if budget is not None and on_disk > budget:
            says = f"the file alone takes {size(on_disk)}, the limit is {size(budget)}"
            return Picture((Flaw("image-too-large", path, says),))
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return Picture(
            (Flaw("file-unreadable", path, f"cannot be read: {error.strerror or error}"),)
        )
    extension = os.path.splitext(path)[1].lower()
    found = check_bytes(path, data, budget)
    expected = EXTENSIONS.get(found.format, ())
    if found.format and extension in ALL_EXTENSIONS and extension not in expected:
        flaw = Flaw("wrong-extension", path, f"is {found.format} but is named {extension}")
        return replace(found, flaws=(*found.flaws, flaw))
    return found


def check_bytes(path: str, data: bytes, budget: int | None, record: int | None = None) -> Picture:
    """Check a picture in memory; ``path`` and ``record`` say where it came from."""

    def flaw(slug: str, says: str, offset: int | None = None) -> Flaw:
        return Flaw(slug, path, says, record, offset)

    if not data:
        return Picture((flaw("image-empty", "has no bytes"),))
    kind = format_of(data[:HEAD_BYTES])
    if not kind:
        return Picture((flaw("not-an-image", f"holds {looks_like(data[:400])}"),))
    if kind in ("HEIC", "AVIF"):
        return Picture((flaw("format-not-decoded", f"is {kind}"),), kind)
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # we look at the numbers ourselves, before anything is decoded
    try:
        image: Any = Image.open(io.BytesIO(data))
        width, height = image.size
        mode = image.mode
        frames = int(getattr(image, "n_frames", 1)) if kind in ANIMATED else 1
    except (
        UnidentifiedImageError,
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        struct.error,
    ) as error:
        return Picture(
            (flaw("image-corrupt", f"its header cannot be read: {_words(error)}"),), kind
        )
    found = list(_by_header(flaw, data, kind, image, budget, frames))
    if not any(one.slug in ("decompression-bomb", "image-too-large") for one in found):
        found += _by_decoding(flaw, data, kind, image, mode)
    return Picture(tuple(found), kind, width, height, mode in ("L", "1", "LA"), frames)


def _by_header(
    flaw: Any, data: bytes, kind: str, image: Any, budget: int | None, frames: int
) -> Iterator[Flaw]:
    """Check what the header tells, without decoding."""
    width, height = image.size
    pixels = width * height
    needed = pixels * BYTES_PER_PIXEL
    if pixels >= BOMB_PIXELS and pixels * 3 > BOMB_RATIO * len(data):
        yield flaw(
            "decompression-bomb",
            f"{size(len(data))} expand to {width}×{height} pixels, {size(pixels * 3)}",
        )
    elif budget is not None and needed > budget:
        yield flaw(
            "image-too-large",
            f"{width}×{height} pixels need about {size(needed)}, the limit is {size(budget)}",
        )
    if frames > 1:
        yield flaw("image-animated", f"has {frames} frames")
    elif kind in NOT_DECODED:
        yield flaw("format-not-decoded", f"is {kind}")
    if image.mode == "CMYK":
        yield flaw("image-cmyk", "is in CMYK")
    if _sixteen_bit(data, kind, image):
        yield flaw("image-sixteen-bit", "has 16 bits a channel")
    if image.mode in ("RGBA", "LA", "PA") or (image.mode == "P" and "transparency" in image.info):
        yield flaw("image-alpha", f"has an alpha channel ({image.mode})")
    turned = _orientation(image)
    if turned != UPRIGHT:
        yield flaw("image-rotated", f"its EXIF tag says to rotate it (orientation {turned})")


def _sixteen_bit(data: bytes, kind: str, image: Any) -> bool:
    """Pillow makes 8 bits of a 16-bit RGB PNG without a word: ask the header."""
    if kind == "PNG":
        return len(data) > 24 and data[24] == 16
    return str(image.mode).startswith("I;16") or image.mode == "I"


def _orientation(image: Any) -> int:
    try:
        value = image.getexif().get(ORIENTATION_TAG, UPRIGHT)
    except Exception:  # a broken EXIF block has no say
        return UPRIGHT
    return value if isinstance(value, int) and 1 <= value <= 8 else UPRIGHT


def _by_decoding(flaw: Any, data: bytes, kind: str, image: Any, mode: str) -> list[Flaw]:
    try:
        if kind == "JPEG" and mode in ("RGB", "L") and (decode := _fast_jpeg()) is not None:
            # An eighth of the size is the smallest that libjpeg gives; all of the data is read for it.
            decode(data, colorspace="GRAY", min_height=1, min_width=1, fastdct=True)
        else:
            image.load()
    except MemoryError:
        raise
    except Exception as error:  # whatever a decoder says: this one cannot be decoded
        return [_damage(flaw, data, kind, error)]
    if not _has_its_end(data, kind):
        return [flaw("image-truncated", "has no end marker", len(data))]
    damaged = _damaged_chunk(data) if kind == "PNG" else None
    if damaged is not None:
        says = f"the checksum of its chunk {damaged[0]!r} is wrong, at byte {damaged[1]}"
        return [flaw("image-corrupt", says, damaged[1])]
    return []


def _damaged_chunk(data: bytes) -> tuple[str, int] | None:
    """The first chunk of a PNG whose checksum is wrong: TensorFlow refuses it, Pillow does not look."""
    damaged = (
        (name.decode("latin-1"), at) for at, name, is_right in png_chunks(data) if not is_right
    )
    return next(damaged, None)


def _has_its_end(data: bytes, kind: str) -> bool:
    """Whether the mark of the end is there, if the format has one. Behind it there may be more: telephones put a film behind a JPEG."""
    if kind not in END_MARKS:
        return True
    return data.find(END_MARKS[kind], _jpeg_pixels(data) if kind == "JPEG" else 0) >= 0


def _jpeg_pixels(data: bytes) -> int:
    """Where the pixels of a JPEG begin. A part before them may hold a whole JPEG with an end of its own, the preview; they never hold an end mark."""
    return max(at for at, _ in jpeg_parts(data))


def _damage(flaw: Any, data: bytes, kind: str, error: Exception) -> Flaw:
    words = _words(error)
    cut = (
        "truncat" in words.lower() or "premature" in words.lower() or "not enough" in words.lower()
    )
    whole = kind in END_MARKS and _has_its_end(data, kind)
    if not whole and (cut or kind in END_MARKS):
        flawed: Flaw = flaw("image-truncated", f"ends after {len(data)} bytes: {words}", len(data))
        return flawed
    damaged: Flaw = flaw("image-corrupt", f"cannot be decoded: {words}")
    return damaged


def _fast_jpeg() -> Any:
    try:
        from simplejpeg import decode_jpeg
    except ImportError:
        return None
    return decode_jpeg


def _words(error: Exception) -> str:
    """Quote a decoder's message without the address of the bytes in memory, which differs each time."""
    lines = IN_MEMORY.sub("", str(error)).strip().splitlines()
    return lines[0][:160] if lines else type(error).__name__
