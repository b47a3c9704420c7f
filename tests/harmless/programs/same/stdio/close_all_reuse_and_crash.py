# ci
# status: SIGSEGV
"""The same, and then a crash: no byte of ours goes into the program's file."""

import ctypes
import os

os.closerange(3, 5000)
number = os.open("mine.txt", os.O_RDWR | os.O_CREAT, 0o600)
for target in range(900, 1100):
    os.dup2(number, target)
os.write(number, b"mine alone\n")
ctypes.string_at(0)
