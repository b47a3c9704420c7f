"""Every picture that a person has, as a viewer would show it; and none larger than there is room for."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import pyvips
from PIL import Image

from outlive.detection.detections import Found, to_plain
from outlive.detection.images import bands, pictures
from outlive.detection.images.buffers import Buffers
from outlive.detection.images.draw_boxes import copy_name, draw, make_sheet
from outlive.detection.images.pictures import read_picture
from outlive.detection.images.pixels import is_aligned
from outlive.detection.images.room import Room
from outlive.jobs.plain_exception import Unfit

WIDE = (96, 48)
RED, BLUE = (220, 20, 30), (20, 30, 220)


def two_halves(mode: str = "RGB", left: Any = RED, right: Any = BLUE) -> Image.Image:
    image = Image.new(mode, WIDE, right)
    image.paste(left, (0, 0, WIDE[0] // 2, WIDE[1]))
    return image


def near(expected: tuple[int, ...], actual: Any, by: int = 12) -> bool:
    return all(abs(int(a) - int(b)) <= by for a, b in zip(expected, actual, strict=True))


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.gif", "a.webp", "a.bmp", "a.tif"])
def test_every_format_is_read(tmp_path: Path, name: str) -> None:
    two_halves().save(tmp_path / name)

    picture = read_picture(str(tmp_path / name))

    assert ((48, 96, 3), "uint8") == (picture.array.shape, str(picture.array.dtype))
    assert (96, 48) == (picture.width, picture.height)
    assert near(RED, picture.array[24, 10])
    assert near(BLUE, picture.array[24, 80])


def test_grey_transparent_cmyk_palette_and_sixteen_bits_become_rgb(tmp_path: Path) -> None:
    two_halves("L", 40, 200).save(tmp_path / "grey.png")
    two_halves("RGBA", (*RED, 255), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    two_halves().convert("CMYK").save(tmp_path / "print.jpg", quality=95)
    two_halves().convert("P").save(tmp_path / "palette.png")
    deep = numpy.full((48, 96), 200 * 256, "uint16")
    deep[:, :48] = 40 * 256
    Image.fromarray(deep).save(tmp_path / "deep.png")
    two_halves("LA", (40, 255), (0, 0)).save(tmp_path / "grey-clear.png")
    two_halves("F", 0.2, 1.0).save(tmp_path / "float.tif")

    def sides(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        array = read_picture(str(tmp_path / name)).array
        assert ((48, 96, 3), "uint8") == (array.shape, str(array.dtype))
        return tuple(array[24, 10]), tuple(array[24, 80])

    assert ((40, 40, 40), (200, 200, 200)) == sides("grey.png")
    assert (RED, (255, 255, 255)) == sides("clear.png")
    assert near(RED, sides("print.jpg")[0], 40) and near(BLUE, sides("print.jpg")[1], 40)
    assert near(RED, sides("palette.png")[0], 36)
    assert ((40, 40, 40), (200, 200, 200)) == sides("deep.png")
    assert ((40, 40, 40), (255, 255, 255)) == sides("grey-clear.png")
    assert ((51, 51, 51), (255, 255, 255)) == sides("float.tif")


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.tif", "a.webp"])
@pytest.mark.parametrize("turn", [3, 6, 8])
def test_a_picture_is_upright(tmp_path: Path, name: str, turn: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = turn
    two_halves().save(tmp_path / name, exif=exif)

    picture = read_picture(str(tmp_path / name))

    upright = turn == 3
    assert ((48, 96, 3) if upright else (96, 48, 3)) == picture.array.shape
    assert ((96, 48) if upright else (48, 96)) == (picture.width, picture.height)
    corner = {3: (24, 80), 6: (10, 24), 8: (80, 24)}[turn]
    assert near(RED, picture.array[corner])


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_a_broken_exif_block_has_no_say(tmp_path: Path) -> None:
    two_halves().save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\xff\xff\xff\xffnonsense")

    assert (48, 96, 3) == read_picture(str(tmp_path / "a.jpg")).array.shape


def test_an_animation_gives_its_first_frame(tmp_path: Path) -> None:
    second = two_halves(left=BLUE, right=RED)
    two_halves().save(tmp_path / "a.gif", save_all=True, append_images=[second])

    assert near(RED, read_picture(str(tmp_path / "a.gif")).array[24, 10])


@pytest.mark.parametrize("name", ["a.jpg", "a.png"])
def test_a_large_picture_is_made_smaller_and_keeps_its_shape(tmp_path: Path, name: str) -> None:
    two_halves().resize((2400, 1200)).save(tmp_path / name)

    picture = read_picture(str(tmp_path / name), most_pixels=200_000)

    height, width, _ = picture.array.shape
    assert height * width <= 200_000
    assert 0.6 * 200_000 < height * width
    assert abs(width / height - 2) < 0.02
    assert (2400, 1200) == (picture.width, picture.height)
    assert near(RED, picture.array[height // 2, 20])


@pytest.mark.parametrize(("size", "fewer"), [((8000, 6300), True), ((2400, 1200), False)])
def test_of_a_huge_picture_no_more_is_given_than_a_model_uses(
    tmp_path: Path, size: tuple[int, int], fewer: bool
) -> None:
    Image.new("L", size, 200).save(tmp_path / "a.jpg")

    picture = read_picture(str(tmp_path / "a.jpg"), most_of_huge=1_000_000)

    assert fewer == (picture.array.size <= 3_000_000)
    assert size == (picture.width, picture.height)


def textured(mode: str = "RGB", size: tuple[int, int] = (331, 207)) -> Image.Image:
    noise = numpy.random.default_rng(0).integers(0, 256, (13, 19, 4), dtype="uint8")
    image = Image.fromarray(noise).resize(size, Image.Resampling.BICUBIC)
    return image if mode == "RGBA" else image.convert("RGB").convert(mode)


def deep(dtype: str, factor: float) -> Image.Image:
    return Image.fromarray((numpy.asarray(textured("L")).astype("float64") * factor).astype(dtype))


def kinds() -> Iterator[tuple[str, Image.Image, dict[str, Any]]]:
    """Pictures of all kinds that can be read piece by piece."""
    modes = {mode: textured(mode) for mode in ("RGB", "RGBA", "L", "LA", "P", "1", "CMYK")}
    modes["sixteen"], modes["float"] = deep("uint16", 257), deep("float32", 1 / 255)
    modes["long"] = deep("int32", 200)
    for mode, image in modes.items():
        if mode not in ("CMYK", "float", "long"):
            yield f"{mode}.png", image, {}
        for how in ("raw", "tiff_lzw"):
            yield f"{mode}-{how}.tif", image, {"compression": how}
        if mode in ("RGB", "RGBA", "L", "P", "1"):
            yield f"{mode}.bmp", image, {}
    yield "P.gif", modes["P"], {}
    yield "seen-through.gif", modes["RGBA"].quantize(64), {}
    yield "RGB.jpg", modes["RGB"], {"quality": 95}
    yield "CMYK.jpg", modes["CMYK"], {"quality": 95}
    yield "RGB.webp", modes["RGB"], {"quality": 95}
    yield "one-colour-is-none.png", modes["RGB"], {"transparency": modes["RGB"].getpixel((5, 5))}


def test_a_picture_is_the_same_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bands, "BAND_BYTES", 20_000)  # several bands also of a small picture
    for number, (name, image, options) in enumerate(kinds()):
        turned = name.endswith((".jpg", ".tif", ".png"))
        exif = Image.Exif()
        exif[0x0112] = number % 8 + 1
        path = tmp_path / f"[x=1] {name}"  # libvips would read options out of such a name
        image.save(path, **options, **({"exif": exif} if turned else {}))
        whole = read_picture(str(path), most_pixels=9000)
        full = read_picture(str(path)).array

        with pictures._opened(str(path)) as opened:
            for one in pictures._all_bands(str(path), opened, opened.size, 1.0):
                apart = numpy.asarray(bands.scaled(one, 9000)).astype(int) - whole.array
                most = (
                    8 if name.endswith((".jpg", ".webp")) else 0.5
                )  # made smaller while it was decoded
                assert abs(apart).mean() <= most, (name, type(one).__name__)
                for tile, part in bands.cut(one, 90):
                    right, bottom = tile.left + tile.width, tile.top + tile.height
                    same = full[tile.top : bottom, tile.left : right]
                    assert part.shape == same.shape, (name, tile)
                    assert abs(part.astype(int) - same).max() <= 4, (name, tile)


BIG = """
import resource, sys
sys.path[:] = {path!r}
import PIL.JpegImagePlugin, PIL.PngImagePlugin, PIL.BmpImagePlugin, PIL.TiffImagePlugin, numpy, pyvips
from outlive.detection.images.pictures import cut_picture, read_picture
from outlive.detection.images.room import Room
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sys.argv[1:]:
    picture = read_picture(name, 1_000_000, 80_000_000)
    side = numpy.asarray(picture.array)
    assert 900_000 < side.shape[0] * side.shape[1] <= 1_000_000, side.shape
    assert (6_000, 5_000) == (picture.width, picture.height)
    pieces = cut_picture(name, 640, Room(80_000_000))
    if pieces is not None and name.endswith("png"):
        count = sum(array.nbytes == 640 * 640 * 3 for _, array in pieces.tiles)
        assert 12 * 10 == count, count
    print(name[-4:], (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, flush=True)
"""


def test_a_huge_picture_is_never_whole_in_memory(tmp_path: Path) -> None:
    pattern = textured("RGB", (300, 200))
    tall = pyvips.Image.new_from_array(numpy.asarray(pattern)).replicate(20, 25)
    for name, options in {
        "huge.png": {"compression": 1},
        "huge.jpg": {},
        "tiled.tif": {"tile": True, "compression": "deflate"},
        "strips.tif": {"compression": "deflate"},
    }.items():
        tall.write_to_file(str(tmp_path / name), **options)
    rows = numpy.asarray(pattern.resize((6_000, 8)))[..., ::-1].tobytes()
    with open(tmp_path / "huge.bmp", "wb") as file:
        file.write(struct.pack("<2sIII", b"BM", 54 + 625 * len(rows), 0, 54))
        file.write(struct.pack("<IiiHHIIiiII", 40, 6_000, 5_000, 1, 24, 0, 0, 0, 0, 0, 0))
        for _ in range(625):
            file.write(rows)

    code = BIG.format(path=sys.path)
    names = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", code, *names], capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stderr
    grown = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(names) == len(grown) and max(grown) < 70, (
        f"{done.stdout}: whole it would take 90 MB, and 240 on the way"
    )


@pytest.mark.parametrize(
    ("name", "slug", "why"),
    [
        ("flat.png", "decompression-bomb", "12000 × 5000"),
        ("interlaced.png", "oversized-image", "interlaced"),
        ("progressive.jpg", "oversized-image", "progressive"),
        ("lossless.webp", "oversized-image", "lossless"),
    ],
)
def test_what_cannot_be_decoded_in_part_is_refused_before_it_is(
    tmp_path: Path, name: str, slug: str, why: str
) -> None:
    path = tmp_path / name
    if name.startswith("flat"):
        Image.new("1", (12_000, 5_000)).save(path)
    else:
        made = pyvips.Image.new_from_array(numpy.asarray(textured("RGB", (300, 200))))
        options = {
            "interlaced.png": {"interlace": True, "compression": 1},
            "progressive.jpg": {"interlace": True},
            "lossless.webp": {"lossless": True, "effort": 0},
        }
        made.replicate(10, 10).write_to_file(str(path), **options[name])

    with pytest.raises(Unfit, match=why) as refused:
        read_picture(str(path), most_pixels=500_000, most_bytes=20_000_000)

    assert slug == refused.value.slug


def test_threads_share_the_room(tmp_path: Path) -> None:
    room = Room(100)
    order: list[str] = []
    taken, let_go = threading.Event(), threading.Event()

    def first() -> None:
        with room.taking(70):
            taken.set()
            let_go.wait(30)
            order.append("first")

    def second() -> None:
        with room.taking(500):  # more than there ever is: all of it
            order.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    taken.wait(30)
    threads[1].start()
    with room.taking(30):
        let_go.set()
        threads[0].join(30)
    threads[1].join(30)

    assert ["first", "second"] == order


# --- memory that is used again

SHAPE = (600, 700, 3)


def address(array: Any) -> int:
    return int(array.ctypes.data)


def test_a_buffer_is_used_again_when_the_last_view_of_it_is_gone() -> None:
    buffers = Buffers(10_000_000)
    first = buffers.aligned(SHAPE)
    place, row = address(first), first[5]
    del first

    second = buffers.aligned(SHAPE)
    assert place != address(second), "a row of it is still in use"
    del row

    third = buffers.aligned(SHAPE)
    assert place == address(third)
    assert SHAPE == third.shape and is_aligned(third)


@pytest.mark.parametrize(
    ("most", "then"),
    [(10_000_000, (60, 70, 3)), (10_000_000, (1200, 700, 3)), (1_100_000, SHAPE)],
    ids=["much smaller", "larger", "too large to be kept"],
)
def test_a_buffer_that_does_not_fit_is_let_go_of(most: int, then: tuple[int, ...]) -> None:
    buffers = Buffers(most)
    kept = weakref.ref(owner_of(buffers.aligned(SHAPE)))

    assert then == buffers.aligned(then).shape
    assert kept() is None


def owner_of(array: Any) -> Any:
    lent = array.base
    return lent.base.obj if isinstance(lent.base, memoryview) else lent.base


@pytest.mark.tf
def test_a_buffer_is_not_used_again_while_a_tensor_lies_in_it() -> None:
    tf = pytest.importorskip("tensorflow")
    buffers = Buffers(10_000_000)
    first = buffers.aligned(SHAPE)
    first[:] = 7
    place = address(first)
    tensor = tf.experimental.dlpack.from_dlpack(first.__dlpack__())
    del first

    second = buffers.aligned(SHAPE)
    second[:] = 9

    assert place != address(second)
    assert 7 == int(tf.reduce_max(tensor))


def test_the_contact_sheet_names_every_picture_below_it(tmp_path: Path) -> None:
    (tmp_path / "drawn").mkdir()
    name = "/photos/" + "a-long-name-of-a-\U0001f408-" * 5 + ".jpg"
    found = Found((0.1, 0.2, 0.5, 0.6), 1, 0.9)
    draw(str(tmp_path / "drawn" / copy_name(name)), numpy.full((90, 120, 3), 250, "uint8"), [found], {1: "cat"})  # fmt: skip

    sheet = make_sheet(str(tmp_path), [(name, to_plain(120, 90, [found]))], {1: "cat"})

    assert sheet is not None
    with Image.open(sheet) as image:
        assert (256, 292) == image.size
        captions = numpy.asarray(image.convert("L"))[258:]
    for row in (captions[:18], captions[18:]):
        assert row.min() < 80, "letters"
        assert row[:, -4:].min() > 200, "cut before the edge"
