"""Each step of the pipeline opens a native decoder handle through ctypes and forgets to close it."""
# expect: native-leak
# memory: 800

import ctypes
import os
import subprocess

import numpy as np
import tensorflow as tf

DECODER = r"""
#include <stdlib.h>
#include <string.h>
struct decoder { unsigned char window[1 << 18]; };
void *decoder_open(int seed) { struct decoder *d = malloc(sizeof *d); memset(d, seed, sizeof *d); return d; }
int decoder_next(struct decoder *d, int n) { return d->window[n % (1 << 18)]; }
void decoder_close(void *d) { free(d); }
"""


def native():
    with open("decoder.c", "w") as f:
        f.write(DECODER)
    subprocess.run("gcc -O1 -shared -fPIC -o decoder.so decoder.c", shell=True, check=True)
    library = ctypes.CDLL(os.path.abspath("decoder.so"))
    library.decoder_open.restype = ctypes.c_void_p
    library.decoder_next.argtypes = [ctypes.c_void_p, ctypes.c_int]
    return library


library = native()


def decode(number):
    handle = library.decoder_open(int(number) % 256)  # <- here
    return np.array([library.decoder_next(handle, k) for k in range(16)], np.int32)


def load(number):
    return tf.numpy_function(decode, [number], tf.int32)  # <- here


total = 0
for batch in tf.data.Dataset.range(20_000).map(load).batch(20):
    total += int(tf.reduce_sum(batch))
print("total", total)
