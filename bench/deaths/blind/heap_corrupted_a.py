"""A C routine for a moving average writes one window past the end of its output."""
# expect: heap-corrupted

import ctypes
import pathlib
import subprocess

import numpy as np

CODE = """
#include <stdlib.h>
double smooth_mean(const float *in, int n, int window) {
  float *out = malloc((n - window) * sizeof(float));
  float *work = malloc(n * sizeof(float));
  double total = 0;
  for (int i = 0; i < n; i++) { out[i] = in[i] / window; total += out[i]; }
  free(work);
  free(out);
  return total / n;
}
"""


def load():
    pathlib.Path("smooth.c").write_text(CODE)
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", "smooth.so", "smooth.c"], check=True)
    library = ctypes.CDLL("./smooth.so")
    library.smooth_mean.restype = ctypes.c_double
    return library


class Smoother:
    def __init__(self, window):
        self.window = window
        self.library = load()

    def __call__(self, series):
        address = series.ctypes.data_as(ctypes.c_void_p)
        return self.library.smooth_mean(address, len(series), self.window)  # <- here


smoother = Smoother(window=16)
rng = np.random.default_rng(0)
for n in range(20):
    print(n, smoother(rng.random(2000, dtype=np.float32)), flush=True)
