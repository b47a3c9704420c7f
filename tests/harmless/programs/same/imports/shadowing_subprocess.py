"""The program has a module with the name of one of ours or of the library's."""

import os
import sys

sys.dont_write_bytecode = True
for name in ("journal", "sampler", "hooks", "colorsys", "agent"):
    open(f"{name}.py", "w").write(f"value = 'of the program: {name}'\n")
sys.path.insert(0, os.getcwd())
for name in ("journal", "sampler", "hooks", "colorsys", "agent"):
    print(__import__(name).value)
