# status: 1
"""A circular import's message."""

import os
import sys

sys.dont_write_bytecode = True
open("one.py", "w").write("from two import b\na = 1\n")
open("two.py", "w").write("from one import a\nb = 1\n")
sys.path.insert(0, os.getcwd())
import one
