"""What a viewer shows of a decoded picture: eight bits, three colours, what is transparent on white, upright."""

from __future__ import annotations

import importlib
import struct
from typing import Any

from outlive.data.scan.pictures import ORIENTATION_TAG, UPRIGHT

#: Modes of pictures with more than eight bits a channel, of which a viewer shows the upper eight.
SIXTEEN_BITS = ("I;16", "I;16B", "I;16L", "I;16N")

#: How such a picture is shown depends on the largest number that is anywhere in it.
BY_THE_LARGEST = ("I", "F")

WHITE = (255, 255, 255, 255)

#: What EXIF says of the way the camera was held -> what has to be done about it.
TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}

#: After these, height and width have changed places.
ON_THE_SIDE = (5, 6, 7, 8)

PNG_HEAD = struct.Struct(">I4s")  #: of a chunk: its length and its name


def as_shown(image: Any, largest: float | None = None) -> Any:
    """Eight bits, three colours; what is transparent lies on white. ``largest`` is of the whole picture, where this is a part of it."""
    image_module: Any = importlib.import_module("PIL.Image")
    mode = image.mode
    if mode == "RGB" and "transparency" not in image.info:
        return image
    if mode in SIXTEEN_BITS or mode in BY_THE_LARGEST:
        return _eight_bits(image, largest).convert("RGB")
    if mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        above = image.convert("RGBA")
        ground = image_module.new("RGBA", above.size, WHITE)
        return image_module.alpha_composite(ground, above).convert("RGB")
    return image.convert("RGB")


def largest_in(image: Any) -> float:
    """The largest number in a picture, or in a part of one."""
    numpy: Any = importlib.import_module("numpy")
    values = numpy.asarray(image)
    if not values.size:
        return 0.0
    return float(numpy.nanmax(values)) if image.mode == "F" else float(values.max())


def _eight_bits(image: Any, largest: float | None) -> Any:
    numpy: Any = importlib.import_module("numpy")
    image_module: Any = importlib.import_module("PIL.Image")
    values = numpy.asarray(image)
    if image.mode in BY_THE_LARGEST and largest is None:
        largest = largest_in(image)
    if image.mode == "F":
        top = largest or 0.0
        values = numpy.nan_to_num(values) * (
            255.0 if top <= 1.0 else 1.0 if top <= 255.0 else 255.0 / top
        )
    elif image.mode != "I" or (largest or 0) > 255:
        values = values.astype("int64") >> 8
    return image_module.fromarray(numpy.clip(values, 0, 255).astype("uint8"))


def turn_of(image: Any, path: str) -> int:
    """How the camera was held, by EXIF, of a picture that is not decoded yet. A broken EXIF block has no say."""
    image_module: Any = importlib.import_module("PIL.Image")
    try:
        if image.format == "TIFF":
            return int(image.tag_v2.get(ORIENTATION_TAG, UPRIGHT))
        if image.format == "PNG" and "exif" not in image.info:
            block = _exif_of_png(path)
            if block is not None:
                image.info["exif"] = block
        # Not the method of PNG's own class: it decodes the whole picture to see what comes behind it.
        return int(image_module.Image.getexif(image).get(ORIENTATION_TAG, UPRIGHT))
    except Exception:
        return UPRIGHT


def turned(image: Any, turn: int) -> Any:
    """Turn an image upright, as its EXIF orientation asks."""
    image_module: Any = importlib.import_module("PIL.Image")
    name = TURNS.get(turn)
    return image if name is None else image.transpose(image_module.Transpose[name])


def _exif_of_png(path: str) -> bytes | None:
    """The chunk may lie behind the picture: the way there is by the lengths of the others."""
    with open(path, "rb") as file:
        at = 8
        while True:
            file.seek(at)
            head = file.read(PNG_HEAD.size)
            if len(head) < PNG_HEAD.size:
                return None
            length, name = PNG_HEAD.unpack(head)
            if name == b"eXIf":
                return b"Exif\0\0" + file.read(min(length, 1 << 20))
            at += length + 12
