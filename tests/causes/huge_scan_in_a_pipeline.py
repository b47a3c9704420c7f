"""The same in a tf.data pipeline: no Python function is running when the huge picture is decoded."""
# expect: oversized-image LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import struct
import tempfile
import zlib
from pathlib import Path

import tensorflow as tf


def write_png(path: Path, width: int, height: int) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        mark = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + mark

    packer = zlib.compressobj(1)
    row = b"\0" + b"\x33" * (3 * width)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def load(path: tf.Tensor) -> tf.Tensor:
    picture = tf.io.decode_png(tf.io.read_file(path), channels=3)
    return tf.image.resize(picture, [64, 64])


def run(width: int, height: int) -> None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for number in range(8):
            large = number == 5
            name = Path(folder, f"{number}.png")
            write_png(name, width if large else 64, height if large else 48)
        for picture in tf.data.Dataset.list_files(f"{folder}/*.png").map(load):  # <- here
            print(picture.shape)


def die() -> None:
    run(20_000, 12_000)


def spare() -> None:
    run(200, 120)
