"""Die in the way that is asked for, having written the time just before: `dies.py WAY FILE [tensorflow]`."""

import ctypes
import os
import signal
import sys
import time

way, path, *libraries = sys.argv[1:]
if libraries:
    import tensorflow as tf

    # Threads and memory as in a program at work: TensorFlow starts its pools with the first operation.
    tf.reduce_sum(tf.matmul(tf.ones([256, 256]), tf.ones([256, 256]))).numpy()

with open(path, "w", buffering=1) as file:
    file.write(f"{time.time_ns()}\n")
    if way == "SIGKILL":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "SIGSEGV":
        ctypes.string_at(0)
    raise RuntimeError("the way asked for")
