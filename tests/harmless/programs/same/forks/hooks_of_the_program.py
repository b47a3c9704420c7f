"""Hooks around fork run in their order; the parent's wait for the child's end, or the two would write in any order."""

import os

reading, writing = os.pipe()


def first_in_parent():
    os.close(writing)
    os.read(reading, 1)
    os.write(1, b"parent 1\n")


os.register_at_fork(
    before=lambda: os.write(1, b"before 1\n"),
    after_in_parent=first_in_parent,
    after_in_child=lambda: os.write(1, b"child 1\n"),
)
os.register_at_fork(
    before=lambda: os.write(1, b"before 2\n"),
    after_in_parent=lambda: os.write(1, b"parent 2\n"),
    after_in_child=lambda: os._exit(0),
)
child = os.fork()
os.waitpid(child, 0)
