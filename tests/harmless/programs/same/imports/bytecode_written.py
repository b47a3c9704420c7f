"""Compiled files are written where they are always."""

import os
import sys

open("compiled.py", "w").write("value = 3\n")
sys.path.insert(0, os.getcwd())
import compiled

print(compiled.value, compiled.__cached__.rpartition("/")[0].endswith("__pycache__"))
