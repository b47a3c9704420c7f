# status: 1
"""The same two modules deep."""

import os
import sys

sys.dont_write_bytecode = True
open("outer.py", "w").write("import inner\n")
open("inner.py", "w").write("x = 1\nimport a_module_that_is_not_there\n")
sys.path.insert(0, os.getcwd())
import outer
