"""A plug-in for reading frames has a destructor that touches what the driver has already unmapped."""
# expect: crashed-at-exit

import ctypes
import os
import subprocess

import keras
import numpy as np

PLUGIN = r"""
#include <sys/mman.h>
static unsigned char *frame;
int grab(int n) { if (!frame) frame = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  frame[n % 4096] = n; return frame[n % 4096]; }
void camera_off(void) { munmap(frame, 4096); }
__attribute__((destructor)) static void flush_frame(void) { if (frame) frame[0] = 255; }
"""


def open_camera():
    with open("camera.c", "w") as f:
        f.write(PLUGIN)
    subprocess.run("gcc -shared -fPIC -o camera.so camera.c", shell=True, check=True)
    return ctypes.CDLL(os.path.abspath("camera.so"))  # <- here


camera = open_camera()
frames = np.array([[camera.grab(n)] for n in range(200)], "float32")
camera.camera_off()  # <- here
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(frames / 255.0, frames / 255.0, epochs=2, verbose=0)
model.save("camera.keras")
print("saved")
