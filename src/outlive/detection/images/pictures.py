"""Any picture that a person has, as a detector wants it: uint8, RGB, upright, as a viewer would show it; never decoded larger than there is room for.

What does not fit whole is read band by band and made smaller on the way, or cut into tiles. What cannot be read so either (an interlaced PNG, a
progressive JPEG, a lossless WebP) is refused with its cause, before a byte of it is decoded; and so is what is nothing but large: a few bytes that
unpack to millions of pixels.
"""

from __future__ import annotations

import errno
import importlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from outlive.data.formats.image_headers import is_lossless_webp
from outlive.data.scan.pictures import BOMB_PIXELS, UPRIGHT
from outlive.detection.images.bands import (
    Bands,
    WholeBands,
    bytes_to_cut,
    bytes_to_scale,
    cut,
    nothing_to_tell,
    scaled,
)
from outlive.detection.images.buffers import Buffers
from outlive.detection.images.jpegs import decoded
from outlive.detection.images.raw_bands import RawBands, has_raw_rows
from outlive.detection.images.room import Room
from outlive.detection.images.shown import ON_THE_SIDE, TURNS, as_shown, turn_of, turned
from outlive.detection.images.tiles import Tile
from outlive.detection.images.vips_bands import LOADERS, VipsBands, is_there
from outlive.jobs.plain_exception import Unfit
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: Bytes a pixel while a picture is decoded and turned: RGBA and a copy.
DECODING_BYTES = 8

#: A progressive JPEG is kept whole as coefficients, two bytes for each of three channels, whatever size is asked for.
PROGRESSIVE_BYTES = 6

#: A WebP without loss is kept whole; of one with loss only the transparency is.
LOSSLESS_BYTES = 4
ALPHA_BYTES = 1

#: A picture that does not fit whole and unpacks to this many times its size is refused: it is a decompression bomb, or empty.
#: (A photo of a camera unpacks to 3 to 30 times its size, a scanned page or a map to 20 to 300.)
BOMB_RATIO = 1000

#: No camera takes so many; such a picture was put together, scanned or drawn.
HUGE_PIXELS = 50_000_000

#: A picture is never made smaller than this to fit: below it there is nothing to see.
LEAST_SCALED_PIXELS = 64 * 64

#: Tags of TIFF.
IMAGE_WIDTH, IMAGE_LENGTH, BITS_PER_SAMPLE, COMPRESSION = 256, 257, 258, 259
COLOUR_SPACE, ROWS_PER_STRIP, TILE_LENGTH = 262, 278, 323
AS_JPEG, LUMA_AND_CHROMA = 7, 6  #: a compression, a colour space

#: No files: whoever opens or reads one may wait without end.
ENDLESS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded picture, and the size that it has on the disk, upright."""

    array: Any
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A picture that is given in tiles, one after the other, since it does not fit whole."""

    tiles: Iterator[tuple[Tile, Any]]
    width: int
    height: int


def read_picture(
    path: str,
    most_pixels: int | None = None,
    most_bytes: int | None = None,
    room: Room | None = None,
    going: Callable[[], None] = nothing_to_tell,
    most_of_huge: int | None = None,
) -> Picture:
    """Decode a file. The limits bound the pixels of the result and the bytes used meanwhile (taken from ``room``, which other threads share).

    Of a huge picture ``most_of_huge`` pixels are given back, if that is fewer.
    """
    room = room or Room(most_bytes)
    numpy: Any = importlib.import_module("numpy")
    with _opened(path) as image:
        width, height = image.size
        if most_of_huge is not None and width * height > HUGE_PIXELS:
            most_pixels = min(most_pixels or most_of_huge, most_of_huge)
        _shrink_beforehand(image, most_pixels)
        needed = _needed(image, width, height)
        if room.has(needed):
            with room.taking(needed):
                array, on_the_side = _whole(path, image, most_pixels, room.buffers)
        else:
            bands, pixels = _bands_to_scale(path, image, (width, height), most_pixels, room)
            with room.taking(bytes_to_scale(bands, pixels)):
                array = numpy.asarray(scaled(bands, pixels, going))
            on_the_side = image.format != "TIFF" and bands.turn in ON_THE_SIDE
        if on_the_side:
            width, height = height, width
        return Picture(array, width, height)


def cut_picture(
    path: str, side: int, room: Room, going: Callable[[], None] = nothing_to_tell
) -> Cut | None:
    """Tiles of a picture that does not fit whole. ``None``: it fits, or it cannot be read piece by piece; then it is read as any other."""
    with _opened(path) as image:
        width, height = image.size
        needed = _needed(image, width, height)
        if room.has(needed):
            return None
        _refuse_bomb(path, width, height, needed, room)
        ways = _all_bands(path, image, (width, height), 1.0)
        bands = next((one for one in ways if room.has(bytes_to_cut(one, side))), None)
        if bands is None or isinstance(bands, WholeBands):
            return None
        if image.format != "TIFF" and bands.turn in ON_THE_SIDE:
            width, height = height, width
    return Cut(_cut(bands, side, room, going), width, height)


def _cut(
    bands: Bands, side: int, room: Room, going: Callable[[], None]
) -> Iterator[tuple[Tile, Any]]:
    with room.taking(bytes_to_cut(bands, side)):
        yield from cut(bands, side, going)


def refuse_no_file(path: str) -> None:
    """A pipe or a device would be waited for without end; a link that leads to itself is not there."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if error.errno != errno.ELOOP:
            return  # whoever opens it says why it cannot be
        raise Unfit(
            "missing-file", f"The link `{os.path.basename(path)}` leads to itself."
        ) from error
    if stat.S_ISDIR(mode):
        raise Unfit("missing-file", f"`{os.path.basename(path)}` is a folder, not a file.")
    if not stat.S_ISREG(mode):
        what = ENDLESS.get(stat.S_IFMT(mode), "a device")
        raise Unfit(
            "waiting-forever",
            f"`{os.path.basename(path)}` is {what}, not a file: reading it could block forever.",
        )


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    image_module: Any = importlib.import_module("PIL.Image")
    image_module.MAX_IMAGE_PIXELS = (
        None  # the numbers are looked at here, before anything is decoded
    )
    # By a handle: a file that it opens by name Pillow may map, and a turned TIFF is then torn (13.0).
    with open(path, "rb") as file, image_module.open(file) as image:
        yield image


def _shrink_beforehand(image: Any, most_pixels: int | None) -> None:
    """Have a JPEG decoded at a fraction of its size, the largest that is not too small."""
    pixels = image.width * image.height
    if most_pixels is None or pixels <= most_pixels:
        return
    share = (most_pixels / pixels) ** 0.5
    image.draft(None, (max(1, int(image.width * share)), max(1, int(image.height * share))))


def _needed(image: Any, width: int, height: int) -> int:
    """Bytes to decode it whole, or what of it a JPEG is asked for."""
    needed = image.width * image.height * DECODING_BYTES
    if _is_progressive(image):
        needed = max(needed, width * height * PROGRESSIVE_BYTES)
    return int(needed)


def _is_progressive(image: Any) -> bool:
    return bool(image.info.get("progressive") or image.info.get("progression"))


def _whole(path: str, image: Any, most_pixels: int | None, buffers: Buffers) -> tuple[Any, bool]:
    """The picture upright as an array, and whether it was on its side."""
    image_module: Any = importlib.import_module("PIL.Image")
    numpy: Any = importlib.import_module("numpy")
    pixels = image.width * image.height
    if most_pixels is None or pixels <= most_pixels:
        turn = turn_of(image, path)
        array = decoded(path, image, buffers) if turn not in TURNS else None
        if array is not None:
            return array, False
    image.load()
    shown = as_shown(image)
    if most_pixels is not None and pixels > most_pixels:
        share = (most_pixels / pixels) ** 0.5
        smaller = (max(1, int(image.width * share)), max(1, int(image.height * share)))
        shown = shown.resize(smaller, image_module.Resampling.BOX, reducing_gap=2.0)
    # Pillow turns a TIFF by itself.
    turn = UPRIGHT if image.format == "TIFF" else turn_of(image, path)
    return numpy.asarray(turned(shown, turn)), turn in ON_THE_SIDE


def _bands_to_scale(
    path: str, image: Any, stored: tuple[int, int], most_pixels: int | None, room: Room
) -> tuple[Bands, int]:
    """How it can be read piece by piece, and how large it may become. Otherwise it is refused."""
    width, height = stored
    needed = _needed(image, width, height)
    _refuse_bomb(path, width, height, needed, room)
    pixels = width * height if most_pixels is None else min(most_pixels, width * height)
    while pixels >= LEAST_SCALED_PIXELS:
        share = max(1, int(width * (pixels / (width * height)) ** 0.5)) / width  # whole columns
        for bands in _all_bands(path, image, stored, share):
            needed = bytes_to_scale(bands, pixels)
            if room.has(needed):
                return bands, pixels
        pixels //= 2
    raise _too_large("oversized-image", path, width, height, needed, room, _why_whole(path, image))


def _all_bands(path: str, image: Any, stored: tuple[int, int], share: float) -> Iterator[Bands]:
    """The ways to read it piece by piece, the leanest first. (A JPEG may have been asked for a smaller size than it is stored with.)"""
    turn = turn_of(image, path)
    width, height = stored
    row_bytes = 0
    if image.format == "TIFF":  # whose size is that of the upright picture
        width, height = int(image.tag_v2[IMAGE_WIDTH]), int(image.tag_v2[IMAGE_LENGTH])
        row_bytes = -(-width * sum(image.tag_v2.get(BITS_PER_SAMPLE, (1,))) // 8)
    if has_raw_rows(image, width, height):
        yield RawBands(path, image, (width, height), row_bytes, turn)
    elif image.format in LOADERS and is_there() and _in_order(image):
        held = _held_bytes(path, image, width, height)
        for lean in (False, True):
            yield VipsBands(path, image.format, share, turn, held, lean)
    if image.format in ("GIF", "BMP", "PNG"):
        yield WholeBands(image, turn)


def _in_order(image: Any) -> bool:
    """Whether libvips gives its rows from the top, in colours that are known."""
    if image.info.get("interlace"):
        return False
    tags = getattr(image, "tag_v2", {})
    return tags.get(COLOUR_SPACE) != LUMA_AND_CHROMA or tags.get(COMPRESSION) == AS_JPEG


def _held_bytes(path: str, image: Any, width: int, height: int) -> int:
    """Count the bytes that a decoder of this format keeps, beside some rows."""
    pixels = width * height
    if image.format == "WEBP":
        seen_through = ALPHA_BYTES if image.mode == "RGBA" else 0
        return pixels * (LOSSLESS_BYTES if _is_lossless(path) else seen_through)
    if image.format == "TIFF":
        rows = image.tag_v2.get(TILE_LENGTH) or image.tag_v2.get(ROWS_PER_STRIP) or height
        samples = sum(image.tag_v2.get(BITS_PER_SAMPLE, (1,))) / 8
        return int(width * min(int(rows), height) * samples)
    return pixels * PROGRESSIVE_BYTES if _is_progressive(image) else 0


def _is_lossless(path: str) -> bool:
    with open(path, "rb") as file:
        return is_lossless_webp(file)


def _why_whole(path: str, image: Any) -> str:
    """Why it cannot be read piece by piece."""
    if image.info.get("interlace"):
        return " It is interlaced: no row is complete until all are read."
    if _is_progressive(image):
        return " It is progressive: no row is complete until all are read."
    if image.format == "WEBP" and is_there() and _is_lossless(path):
        return " A lossless WebP is decoded as a whole."
    if image.format in LOADERS and not is_there():
        return " It could be read in pieces with libvips, which is not installed:  pip install 'outlive[detect]'"
    return ""


def _refuse_bomb(path: str, width: int, height: int, needed: int, room: Room) -> None:
    pixels = width * height
    if pixels >= BOMB_PIXELS and pixels * 3 > BOMB_RATIO * os.path.getsize(path):
        raise _too_large("decompression-bomb", path, width, height, needed, room)


def _too_large(
    slug: str, path: str, width: int, height: int, needed: int, room: Room, why: str = ""
) -> Unfit:
    on_disk = os.path.getsize(path)
    return Unfit(
        slug,
        f"The picture `{os.path.basename(path)}` has {width} × {height} pixels: {size(on_disk)} on disk, about {size(needed)} while decoding; available: {size(room.most_bytes or 0)}.{why}",
        "Shrink it with a program that reads it in pieces:  vipsthumbnail FILE -s 4000",
        "Or leave it out.",
    )
