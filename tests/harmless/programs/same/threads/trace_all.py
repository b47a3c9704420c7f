# python-at-least: 3.12
"""A tracer for all threads that run sees none of the recorder's."""

import os
import threading
import time

files = set()


def note(frame, event, argument):
    files.add(os.path.basename(frame.f_code.co_filename))
    return note


threading.setprofile_all_threads(note)
time.sleep(0.4)
threading.setprofile_all_threads(None)
threading.settrace_all_threads(note)
time.sleep(0.4)
threading.settrace_all_threads(None)
print(sorted(files - {"threading.py"}))
