"""A picture of a few hundred bytes that says it has 3.6 thousand million pixels."""
# expect: decompression-bomb PROVEN
# ending: 1
# needs: PIL
# names: scan.png

import struct
import zlib
from pathlib import Path

from PIL import Image


def chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def picture(side: int, rows: int) -> bytes:
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\0" * rows * (side + 1))
    begin = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    return begin + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def thumbnail(path: str) -> tuple[int, int]:
    image = Image.open(path)  # <- here
    image.thumbnail((64, 64))
    return image.size


def die() -> None:
    Path("scan.png").write_bytes(picture(60_000, 1))
    print(thumbnail("scan.png"))


def spare() -> None:
    Path("scan.png").write_bytes(picture(60, 60))
    print(thumbnail("scan.png"))
