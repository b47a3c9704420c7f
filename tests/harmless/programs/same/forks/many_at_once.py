"""Thirty children at the same time."""

import os

read_end, write_end = os.pipe()
children = []
for n in range(30):
    child = os.fork()
    if child == 0:
        os.close(write_end)
        os.read(read_end, 1)
        os._exit(n)
    children.append(child)
os.close(write_end)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
