"""A job of plain Python: every step needs every rank."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))

import faults
import horovod

horovod.init()
total = 0.0
for step in range(10):
    faults.strike(os.environ["RANK"], step)
    total = horovod.allreduce(1.0)  # <- step
print(total)
