"""Any picture that a person has, as a detector wants it: uint8, RGB, upright, as a viewer would show it; never decoded larger than there is room for.

JPEG can be decoded at a half, a quarter or an eighth of its size without ever being whole in memory. The other formats cannot: of those, one that does
not fit is refused with its cause, before a byte of it is decoded.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any

from outlive.keep.thrown import Unfit
from outlive.model import size
from outlive.scan.pictures import BOMB_PIXELS, BOMB_RATIO

#: Bytes a pixel while a picture is decoded and turned: RGBA and a copy.
DECODING_BYTES = 8

#: A progressive JPEG is kept whole as coefficients, two bytes for each of three channels, whatever size is asked for.
PROGRESSIVE_BYTES = 6

#: Pictures with so many bits a number that a viewer shows the upper eight of them.
SIXTEEN_BITS = ("I;16", "I;16B", "I;16L", "I;16N")

WHITE = (255, 255, 255, 255)


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded picture, and the size that it has on the disk, upright."""

    array: Any
    width: int
    height: int


def read_picture(
    path: str, most_pixels: int | None = None, most_bytes: int | None = None
) -> Picture:
    """Decode a file: at most so many pixels are given back, at most so many bytes are used on the way."""
    image_module: Any = importlib.import_module("PIL.Image")
    operations: Any = importlib.import_module("PIL.ImageOps")
    image_module.MAX_IMAGE_PIXELS = (
        None  # the numbers are looked at here, before anything is decoded
    )
    with image_module.open(path) as image:
        width, height = image.size
        _shrink_beforehand(image, most_pixels)
        _refuse_what_does_not_fit(path, image, width, height, most_bytes)
        image.load()
        pixels = image.width * image.height
        if most_pixels is not None and pixels > most_pixels:
            share = (most_pixels / pixels) ** 0.5
            smaller = (max(1, int(image.width * share)), max(1, int(image.height * share)))
            shown = _as_shown(image).resize(smaller, image_module.Resampling.BOX, reducing_gap=2.0)
        else:
            shown = _as_shown(image)
        try:
            turned = operations.exif_transpose(_with_tags(shown, image))
        except Exception:  # a broken EXIF block has no say
            turned = shown
        if turned.size != shown.size and shown.width != shown.height:
            width, height = height, width
    numpy: Any = importlib.import_module("numpy")
    return Picture(numpy.asarray(turned), width, height)


def _shrink_beforehand(image: Any, most_pixels: int | None) -> None:
    """Have a JPEG decoded at a fraction of its size, the largest that is not too small."""
    pixels = image.width * image.height
    if most_pixels is None or pixels <= most_pixels:
        return
    share = (most_pixels / pixels) ** 0.5
    image.draft(None, (max(1, int(image.width * share)), max(1, int(image.height * share))))


def _refuse_what_does_not_fit(
    path: str, image: Any, width: int, height: int, most_bytes: int | None
) -> None:
    pixels = image.width * image.height
    needed = pixels * DECODING_BYTES
    if image.info.get("progressive") or image.info.get("progression"):
        needed = max(needed, width * height * PROGRESSIVE_BYTES)
    if most_bytes is None or needed <= most_bytes:
        return
    on_disk = os.path.getsize(path)
    bomb = width * height >= BOMB_PIXELS and width * height * 3 > BOMB_RATIO * on_disk
    name = os.path.basename(path)
    raise Unfit(
        "decompression-bomb" if bomb else "oversized-image",
        f"The picture `{name}` has {width} × {height} pixels: {size(on_disk)} on disk, about {size(needed)} while it is decoded; there is room for {size(most_bytes)}.",
        "Make it smaller with a program that reads it piece by piece:  vipsthumbnail FILE -s 4000",
        "Or leave it out.",
    )


def _with_tags(shown: Any, image: Any) -> Any:
    """Conversion loses the EXIF block; the turn is in it."""
    if shown is not image:
        exif = image.info.get("exif")
        if exif:
            shown.info["exif"] = exif
        elif image.getexif():
            shown.info["exif"] = image.getexif().tobytes()
    return shown


def _as_shown(image: Any) -> Any:
    """Eight bits, three colours; what is transparent lies on white."""
    image_module: Any = importlib.import_module("PIL.Image")
    mode = image.mode
    if mode == "RGB":
        return image
    if mode in SIXTEEN_BITS or mode in ("I", "F"):
        return _eight_bits(image).convert("RGB")
    if mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        above = image.convert("RGBA")
        ground = image_module.new("RGBA", above.size, WHITE)
        return image_module.alpha_composite(ground, above).convert("RGB")
    return image.convert("RGB")


def _eight_bits(image: Any) -> Any:
    numpy: Any = importlib.import_module("numpy")
    image_module: Any = importlib.import_module("PIL.Image")
    values = numpy.asarray(image)
    if image.mode == "F":
        top = float(numpy.nanmax(values)) if values.size else 0.0
        values = numpy.nan_to_num(values) * (
            255.0 if top <= 1.0 else 1.0 if top <= 255.0 else 255.0 / top
        )
    elif image.mode != "I" or int(values.max(initial=0)) > 255:
        values = values.astype("int64") >> 8
    return image_module.fromarray(numpy.clip(values, 0, 255).astype("uint8"))
