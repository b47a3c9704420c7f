"""Writes what TensorFlow writes when a CHECK fails, and then aborts by its own decision."""
# expect: exited-without-cleanup PROVEN
# ending: SIGABRT

import os
import sys

LINE = "2026-01-01 00:00:00.000000: F tensorflow/core/framework/tensor_shape.cc:587] Check failed: size >= 0 (-4 vs. 0)"


def die() -> None:
    print(LINE, file=sys.stderr, flush=True)
    os.abort()  # <- here


def spare() -> None:
    print(LINE, file=sys.stderr, flush=True)
