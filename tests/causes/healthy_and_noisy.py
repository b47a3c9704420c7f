"""A healthy run that prints what TensorFlow, CUDA, NumPy and protobuf print when all is well, and handles what it meets."""
# expect: nothing
# ending: 0
# needs: tensorflow

import contextlib
import ctypes
import errno
import sys
import threading
import warnings

NOISE = """\
E0000 00:00:1712345678.123456 99 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered
W0000 00:00:1712345678.123456 99 computation_placer.cc:177] computation placer already registered. Please check linkage and avoid linking the same target more than once.
I tensorflow/core/util/port.cc:153] oneDNN custom operations are on. You may see slightly different numerical results
W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory
I tensorflow/stream_executor/cuda/cudart_stub.cc:29] Ignore above cudart dlerror if you do not have a GPU set up on your machine.
E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:152] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: CUDA_ERROR_OUT_OF_MEMORY: out of memory
A module that was compiled using NumPy 1.x cannot be run in
NumPy 2.4.6 as it may crash. To support both 1.x and 2.x
RuntimeWarning: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject
UserWarning: Protobuf gencode version 5.28.3 is exactly one major version older than the runtime version 6.31.1 at x.proto.
OpenBLAS blas_thread_init: pthread_create failed for thread 3 of 4: Resource temporarily unavailable
OSError: [Errno 28] No space left on device
"""


def run() -> None:
    print(NOISE, file=sys.stderr)
    warnings.warn("this model is deprecated", DeprecationWarning, stacklevel=1)
    with contextlib.suppress(OSError):
        ctypes.CDLL("libcudart.so.99")
    with contextlib.suppress(OSError):
        raise OSError(errno.EMFILE, "Too many open files")
    threads = [threading.Thread(target=print, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    import tensorflow as tf

    print(float(tf.reduce_sum(tf.ones([4]))))


def die() -> None:
    run()


def spare() -> None:
    run()
