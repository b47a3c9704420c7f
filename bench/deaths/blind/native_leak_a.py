"""A C library for edge features allocates its result for each picture, and nobody frees it."""
# expect: native-leak
# memory: 400

import ctypes
import pathlib
import subprocess

import numpy as np

SOURCE = """
#include <stdlib.h>
float *edges(const float *image, int width, int height) {
  float *out = malloc(sizeof(float) * width * height);
  for (int i = 0; i < width * height; i++) out[i] = i ? image[i] - image[i - 1] : 0;
  return out;
}
"""


def build():
    pathlib.Path("edges.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", "edges.so", "edges.c"], check=True)
    library = ctypes.CDLL("./edges.so")
    library.edges.restype = ctypes.POINTER(ctypes.c_float)
    return library


class EdgeFeatures:
    def __init__(self):
        self.library = build()

    def __call__(self, image):
        height, width = image.shape
        address = image.ctypes.data_as(ctypes.c_void_p)
        result = self.library.edges(address, width, height)  # <- here
        return np.abs(np.ctypeslib.as_array(result, (height, width))).mean()  # <- here


extract = EdgeFeatures()
rng = np.random.default_rng(0)
scores = []
for n in range(3000):
    scores.append(float(extract(rng.random((256, 256), dtype=np.float32))))  # <- here
print("mean", np.mean(scores))
