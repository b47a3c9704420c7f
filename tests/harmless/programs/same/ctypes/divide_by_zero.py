# needs: command cc
# status: SIGFPE
"""An arithmetic error in C."""

import ctypes
import os
import subprocess

with open("/dev/shm/divide.c" if False else "divide.c", "w") as file:
    file.write("int divide(int a, int b) { return a / b; }\n")
subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-o", "divide.so", "divide.c"], check=True)
library = ctypes.CDLL("./divide.so")
os.remove("divide.so")
print(library.divide(6, 3), flush=True)
library.divide(1, 0)
