# documented-on: 3.13t: stderr: the function at exit is written in Python there, and a tracer follows it
"""A tracer sees no line of anybody else's around a fork, nor at the end."""

import os
import sys


def note(frame, event, argument):
    name = frame.f_code.co_filename
    if name != __file__:
        os.write(2, f"{event} {name} {frame.f_code.co_name}\n".encode())
    return note


def fork():
    child = os.fork()
    if child == 0:
        sys.settrace(None)
        sys.setprofile(None)
        os._exit(0)
    os.waitpid(child, 0)


sys.settrace(note)
for _ in range(5):
    fork()
sys.settrace(None)
sys.setprofile(note)
for _ in range(5):
    fork()
sys.settrace(note)
print("done")
