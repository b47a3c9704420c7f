"""A profiler sees no function that the program does not have."""

import os
import sys

files = set()


def note(frame, event, argument):
    files.add(os.path.basename(frame.f_code.co_filename))


sys.setprofile(note)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
sys.setprofile(None)
print(sorted(files))
