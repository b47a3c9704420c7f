"""Among the tiles of a satellite lies the whole scene, 12000 x 12000; the pipeline decodes it like the others."""
# expect: oversized-image
# memory: 500

import os
import struct
import zlib

import numpy as np
import tensorflow as tf


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, side):
    packer = zlib.compressobj(1)
    row = b"\0" + b"\x20\x40\x60" * side
    body = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


def tile(path):
    picture = tf.io.decode_png(tf.io.read_file(path), channels=3)  # <- here
    return tf.image.resize(picture, [128, 128])


os.makedirs("tiles", exist_ok=True)
for n in range(8):
    write_png(f"tiles/tile_{n}.png", 12_000 if n == 5 else 256)
print("largest file", max(os.path.getsize(f"tiles/{name}") for name in os.listdir("tiles")) >> 10, "KB")
tiles = tf.data.Dataset.list_files("tiles/*.png", shuffle=False).map(tile).batch(2)
print("mean", np.mean([float(tf.reduce_mean(batch)) for batch in tiles]))  # <- here
