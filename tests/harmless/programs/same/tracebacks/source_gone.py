# status: 1
"""The file of a function is gone when its trace is printed."""

import os
import sys

sys.dont_write_bytecode = True
open("gone.py", "w").write("def f():\n    raise ValueError('gone')\n")
sys.path.insert(0, os.getcwd())
import gone

os.remove("gone.py")
gone.f()
