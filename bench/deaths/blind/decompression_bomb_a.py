"""Somebody uploaded a PNG of 60 KB that unpacks to 20000 x 20000; the thumbnail maker opens everything."""
# expect: decompression-bomb

import pathlib
import struct
import zlib

from PIL import Image


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def blank_png(path, width, height):
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    row = b"\0" * (1 + (width + 7) // 8)
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


class Thumbnails:
    def __init__(self, folder, size=(64, 64)):
        self.folder = pathlib.Path(folder)
        self.size = size

    def make(self):
        for path in sorted(self.folder.glob("*.png")):
            with Image.open(path) as picture:  # <- here
                picture.convert("L").resize(self.size).save(path.with_suffix(".jpg"))
            print("made", path.name)


pathlib.Path("uploads").mkdir(exist_ok=True)
blank_png("uploads/a_logo.png", 300, 200)
blank_png("uploads/b_banner.png", 400, 100)
blank_png("uploads/c_map.png", 20_000, 20_000)
Thumbnails("uploads").make()
