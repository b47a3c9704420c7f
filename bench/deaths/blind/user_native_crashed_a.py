"""A C helper is called through ctypes with an index past the end of its table of pointers, in a worker thread."""
# expect: user-native-crashed

import ctypes
import pathlib
import subprocess
import threading

import tensorflow as tf

SOURCE = """
static double *rows[4];
double row_sum(int row, int n) { double s = 0; for (int i = 0; i < n; i++) s += rows[row][i]; return s; }
"""


def compile_helper():
    pathlib.Path("rows.c").write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "librows.so", "rows.c"], check=True)
    library = ctypes.CDLL("./librows.so")
    library.row_sum.restype = ctypes.c_double
    return library


class Worker(threading.Thread):
    def __init__(self, library):
        super().__init__()
        self.library = library

    def run(self):
        print("sum", self.library.row_sum(2, 10))  # <- here


print(tf.reduce_sum(tf.ones([4])))
worker = Worker(compile_helper())
worker.start()
worker.join()
