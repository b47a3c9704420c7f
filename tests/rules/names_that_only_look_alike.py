"""The same words, and other things: names that are bound to something else, functions of the program, modules of its own."""

import tensorflow as tf

from . import gc, os, threading
from .mine import cv2, np


def os_like(os, sys, tf):
    os._exit(1)
    os.fork()
    sys.setrecursionlimit(10**9)
    for _ in range(1000):
        tf.function(os)


class Image:
    MAX_IMAGE_PIXELS = None


Image.MAX_IMAGE_PIXELS = None


def function(f):
    return f


for _ in range(1000):
    function(1)
    gc.collect()
    threading.stack_size(10)
    os._exit(0)
    np.zeros((1000, 1000, 1000))
    cv2.imread("x") / 255.0
