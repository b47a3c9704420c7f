# python: -B
"""No compiled files."""

import os
import sys

open("plain.py", "w").write("x = 1\n")
sys.path.insert(0, os.getcwd())
import plain

print(os.listdir(), sys.dont_write_bytecode)
