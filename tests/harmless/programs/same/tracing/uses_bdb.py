"""A debugger steps through the program's lines alone."""

import bdb
import os


class Steps(bdb.Bdb):
    def __init__(self):
        super().__init__()
        self.seen = []

    def user_line(self, frame):
        self.seen.append((os.path.basename(frame.f_code.co_filename), frame.f_code.co_name))
        self.set_step()


def work():
    os.kill(os.getpid(), 0)
    return 1


steps = Steps()
steps.runcall(work)
print(steps.seen)
