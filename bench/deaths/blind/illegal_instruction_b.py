"""A kernel for matrix products was built for a CPU with AMX tiles, and this one has none."""
# expect: illegal-instruction

import ctypes
import os
import subprocess

import numpy as np

KERNEL = r"""
void dot_amx(const float *a, const float *b, float *out, int n) {
  __asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0");  /* tilezero tmm0 */
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  *out = s;
}
"""


def compile_kernel(name):
    with open(name + ".c", "w") as f:
        f.write(KERNEL)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", name + ".so", name + ".c"], check=True)
    return ctypes.CDLL(os.path.abspath(name + ".so"))


kernel = compile_kernel("dot")


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def dot(a, b):
    out = ctypes.c_float()
    kernel.dot_amx(pointer(a), pointer(b), ctypes.byref(out), len(a))  # <- here
    return out.value


def score(queries, keys):
    return [[dot(q, k) for k in keys] for q in queries]  # <- here


vectors = np.random.default_rng(0).random((4, 64), dtype=np.float32)
print(score(vectors, vectors))
