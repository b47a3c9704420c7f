"""runpy runs a module and a file."""

import runpy

open("script.py", "w").write("print(__name__, __file__)\nvalue = 4\n")
print(runpy.run_path("script.py", run_name="mine")["value"])
