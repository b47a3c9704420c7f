"""Parent and child draw the same numbers after a seed."""

import os
import random

generator = random.Random(5)
child = os.fork()
os.write(1, f"{generator.random()}\n".encode())
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
