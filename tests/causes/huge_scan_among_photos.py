"""One file of a few kilobytes holds 20,000 by 12,000 pixels."""
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
    """White, grey or black: it compresses well."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    packer = zlib.compressobj(1)
    row = b"\0" + b"\x7f" * (3 * width)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def thumbnail(path: Path) -> tf.Tensor:
    picture = tf.io.decode_png(tf.io.read_file(str(path)), channels=3)  # <- here
    return tf.image.resize(picture, [64, 64])  # <- here


def run(width: int, height: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(4):
            large = number == 3
            path = Path(folder, f"photo{number}.png")
            write_png(path, width if large else 64, height if large else 48)
        for path in sorted(Path(folder).iterdir()):
            print(thumbnail(path).shape)


def die() -> None:
    run(20_000, 12_000)


def spare() -> None:
    run(200, 120)
