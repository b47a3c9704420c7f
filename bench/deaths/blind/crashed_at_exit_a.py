"""The clean-up that is registered for the end frees a native ring buffer that was freed before."""
# expect: crashed-at-exit

import atexit
import ctypes
import pathlib
import subprocess

import numpy as np

SOURCE = """
#include <stdlib.h>
struct ring { int size; float *data; };
struct ring *ring_new(int n) { struct ring *r = malloc(sizeof *r); r->size = n; r->data = calloc(n, 4); return r; }
void ring_push(struct ring *r, float v) { r->data[r->size - 1] = v; }
void ring_close(struct ring *r) { float *d = r->data; r->data = 0; d[0] = 0; free(d); }
"""


def build():
    pathlib.Path("ring.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", "libring.so", "ring.c"], check=True)
    library = ctypes.CDLL("./libring.so")
    library.ring_new.restype = ctypes.c_void_p
    return library


class Ring:
    def __init__(self, library, size):
        self.library = library
        self.pointer = ctypes.c_void_p(library.ring_new(size))
        atexit.register(self.close)  # <- here

    def push(self, value):
        self.library.ring_push(self.pointer, ctypes.c_float(value))

    def close(self):
        self.library.ring_close(self.pointer)  # <- here


ring = Ring(build(), 64)
for value in np.linspace(0, 1, 500):
    ring.push(value)
ring.close()
np.save("result.npy", np.linspace(0, 1, 500))
print("done, result written")
