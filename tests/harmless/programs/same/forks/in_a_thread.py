"""A thread forks; the child has this thread alone."""

import os
import threading


def work():
    child = os.fork()
    if child == 0:
        os.write(1, str([thread.name for thread in threading.enumerate()]).encode() + b"\n")
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)


thread = threading.Thread(target=work, name="forking")
thread.start()
thread.join()
