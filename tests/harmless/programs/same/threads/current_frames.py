"""Frames of all threads."""

import sys
import time

time.sleep(0.3)
print(len(sys._current_frames()))
