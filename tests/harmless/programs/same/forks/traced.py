# ci
"""A tracer sees the program's own lines around fork, and nobody else's."""

import os
import sys

files = set()


def note(frame, event, argument):
    files.add(os.path.basename(frame.f_code.co_filename))
    return note


sys.settrace(note)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
sys.settrace(None)
print(
    sorted(
        files
        - {
            "random.py",
            "threading.py",
            "_weakrefset.py",
            "__init__.py",
            "process.py",
            "util.py",
            "_colorize.py",
        }
    )
)
