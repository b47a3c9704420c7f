"""What fork gives to each side."""

import os

parent = os.getpid()
child = os.fork()
if child == 0:
    print(os.getppid() == parent, flush=True)
    os._exit(0)
print(child > 0, os.waitpid(child, 0)[1], flush=True)
