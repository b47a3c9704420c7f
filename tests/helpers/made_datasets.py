"""Small data sets with real files, clean or with one fault each; and TFRecord files written without TensorFlow."""

from __future__ import annotations

import io
import json
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from outlive.data.formats.tfrecords import masked

SIDE = 96
HTML = b"<!DOCTYPE html><html><body>404 Not Found</body></html>"


def picture(
    mode: str = "RGB", width: int = SIDE, height: int = SIDE // 2, seed: int = 0
) -> Image.Image:
    """Noise with some structure: damage in it shows."""
    noise = random.Random(seed)
    image = Image.new("RGB", (width, height))
    image.putdata(
        [(noise.randrange(256), x % 256, y % 256) for y in range(height) for x in range(width)]
    )
    return image.convert(mode)


def encoded(image: Image.Image, kind: str = "JPEG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def jpeg(seed: int = 0, **options: Any) -> bytes:
    return encoded(picture(seed=seed), "JPEG", **options)


def rotated_jpeg() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(picture(), "JPEG", exif=exif)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def gif(frames: int) -> bytes:
    images = [picture("P", seed=number) for number in range(frames)]
    return encoded(images[0], "GIF", save_all=True, append_images=images[1:])


def sixteen_bit_png() -> bytes:
    image = Image.new("I;16", (SIDE, SIDE))
    image.putdata([value % 65536 for value in range(SIDE * SIDE)])
    return encoded(image, "PNG")


def bomb_png() -> bytes:
    return encoded(Image.new("P", (9_000, 6_000)), "PNG")


# -- records ------------------------------------------------------------------


def framed(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = b""
    while True:
        byte, value = value & 0x7F, value >> 7
        if not value:
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def block(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(values: Sequence[Any]) -> bytes:
    if not values:
        return b""
    if isinstance(values[0], bytes):
        return block(1, b"".join(block(1, value) for value in values))
    if isinstance(values[0], float):
        return block(2, block(1, struct.pack(f"<{len(values)}f", *values)))
    return block(3, block(1, b"".join(varint(value) for value in values)))


def example(features: dict[str, Sequence[Any]]) -> bytes:
    entries = b"".join(
        block(1, block(1, name.encode()) + block(2, feature(values)))
        for name, values in features.items()
    )
    return block(1, entries)


def detection(seed: int = 0, **changes: Any) -> bytes:
    """A record of the Object Detection API; ``changes`` replace features, None removes one."""
    found: dict[str, Any] = {
        "image/encoded": [jpeg(seed)],
        "image/format": [b"jpeg"],
        "image/filename": [b"%d.jpg" % seed],
        "image/width": [SIDE],
        "image/height": [SIDE // 2],
        "image/object/bbox/xmin": [0.1, 0.2],
        "image/object/bbox/xmax": [0.5, 0.9],
        "image/object/bbox/ymin": [0.1, 0.0],
        "image/object/bbox/ymax": [0.4, 1.0],
        "image/object/class/label": [1, 2],
        "image/object/class/text": [b"cat", b"dog"],
    }
    for name, value in changes.items():
        key = next(key for key in found if key.rpartition("/")[2] == name)
        if value is None:
            del found[key]
        else:
            found[key] = value
    return example(found)


LABEL_MAP = "item {\n  id: 1\n  name: \"cat\"\n}\nitem {\n  id: 2\n  name: 'dog'\n}\n"


def clean_folder(folder: Path, count: int = 5) -> Path:
    """Pictures, records and annotations in which nothing is wrong."""
    pictures = folder / "images"
    pictures.mkdir(parents=True)
    for number in range(count):
        (pictures / f"{number}.jpg").write_bytes(jpeg(number))
        (pictures / f"p{number}.png").write_bytes(encoded(picture(seed=number), "PNG"))
    (folder / "data.tfrecord").write_bytes(
        b"".join(framed(detection(seed)) for seed in range(count))
    )
    (folder / "map.pbtxt").write_text(LABEL_MAP)
    (folder / "coco.json").write_text(json.dumps(coco()))
    (folder / "voc").mkdir()
    (folder / "voc" / "0.xml").write_text(voc())
    (folder / "labels").mkdir()
    (folder / "labels" / "0.txt").write_text("0 0.5 0.5 0.25 0.5\n1 0.25 0.25 0.1 0.1\n")
    return folder


def coco(**changes: Any) -> dict[str, Any]:
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [5.0, 5.0, 20.0, 20.0]}
    return {
        "images": [{"id": 1, "file_name": "0.jpg", "width": SIDE, "height": SIDE // 2}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [annotation | changes],
    }


def voc(
    name: str = "cat",
    box: Sequence[object] = (5, 5, 25, 25),
    size: tuple[int, int] = (SIDE, SIDE // 2),
    file: str = "0.jpg",
) -> str:
    corners = "".join(
        f"<{side}>{value}</{side}>"
        for side, value in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=False)
    )
    return (
        f"<annotation><filename>{file}</filename><size><width>{size[0]}</width><height>{size[1]}</height></size>"
        f"<object><name>{name}</name><bndbox>{corners}</bndbox></object></annotation>"
    )
