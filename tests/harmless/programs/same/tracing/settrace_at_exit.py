# ci
"""A tracer that stays on until the end sees the program's lines alone."""

import atexit
import os
import sys

files = set()


def note(frame, event, argument):
    files.add(os.path.basename(frame.f_code.co_filename))
    return note


def tell():
    os.write(1, str(sorted(files - {"threading.py", "_weakrefset.py"})).encode() + b"\n")


atexit.register(tell)
sys.settrace(note)
