"""A flood fill in C calls itself for each neighbour; on a large blank mask the stack is used up."""
# expect: stack-overflow

import ctypes
import pathlib
import subprocess

import numpy as np
import tensorflow as tf

SOURCE = """
static int fill(unsigned char *m, int w, int h, int x, int y) {
  if (x < 0 || y < 0 || x >= w || y >= h || m[y * w + x]) return 0;
  m[y * w + x] = 1;
  return 1 + fill(m, w, h, x + 1, y) + fill(m, w, h, x - 1, y) + fill(m, w, h, x, y + 1) + fill(m, w, h, x, y - 1);
}
int region(unsigned char *m, int w, int h, int x, int y) { return fill(m, w, h, x, y); }
"""


def build():
    pathlib.Path("flood.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", "flood.so", "flood.c"], check=True)
    return ctypes.CDLL("./flood.so")


flood = build()


def region_size(mask):
    pixels = np.ascontiguousarray(mask, np.uint8)
    height, width = pixels.shape
    address = pixels.ctypes.data_as(ctypes.c_void_p)
    return flood.region(address, width, height, width // 2, height // 2)  # <- here


def main():
    for side in (50, 100, 2000):
        mask = tf.random.stateless_uniform([side, side], [1, side]) > 2.0
        print(side, region_size(mask.numpy()), flush=True)  # <- here


main()
