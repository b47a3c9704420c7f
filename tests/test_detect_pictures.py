"""Every picture that a person has, as a viewer would show it; and none larger than there is room for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from PIL import Image

from outlive.detecting.pictures import read_picture
from outlive.keep.thrown import Unfit

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


BIG = """
import resource, sys
sys.path[:] = {path!r}
import PIL.JpegImagePlugin, numpy
from outlive.detecting.pictures import read_picture
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_picture({file!r}, most_pixels=1_000_000)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_huge_jpeg_is_never_whole_in_memory(tmp_path: Path) -> None:
    Image.new("L", (12_000, 8_000), 90).save(tmp_path / "huge.jpg")

    code = BIG.format(path=sys.path, file=str(tmp_path / "huge.jpg"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(done.stdout) < 60, "whole it would take 96 MB as grey, 288 MB as RGB"


@pytest.mark.parametrize(
    ("name", "mode", "options", "slug"),
    [
        ("flat.png", "1", {}, "decompression-bomb"),
        ("flat.jpg", "L", {"progressive": True}, "decompression-bomb"),
        ("full.bmp", "L", {}, "oversized-image"),
    ],
)
def test_what_cannot_be_decoded_in_part_is_refused_before_it_is(
    tmp_path: Path, name: str, mode: str, options: dict[str, Any], slug: str
) -> None:
    Image.new(mode, (12_000, 5_000)).save(tmp_path / name, **options)

    with pytest.raises(Unfit, match="12000 × 5000") as refused:
        read_picture(str(tmp_path / name), most_pixels=1_000_000, most_bytes=100_000_000)

    assert slug == refused.value.slug
