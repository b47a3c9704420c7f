# status: 1
"""A module that cannot be compiled."""

import sys

open("broken.py", "w").write("def f(:\n    pass\n")
sys.path.insert(0, ".")
sys.dont_write_bytecode = True
import broken
