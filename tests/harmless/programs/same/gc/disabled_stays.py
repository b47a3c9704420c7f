"""A collector that was switched off stays off."""

import gc
import time

gc.disable()
for _ in range(10):
    time.sleep(0.05)
    [[] for _ in range(10000)]
    if gc.isenabled():
        print("somebody switched it on")
print(gc.isenabled())
