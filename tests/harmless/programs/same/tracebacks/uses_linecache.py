"""The cache of lines has the program's files alone."""

import linecache
import os
import traceback

try:
    1 / 0
except ZeroDivisionError:
    traceback.format_exc()
print(sorted(os.path.basename(name) for name in linecache.cache if name.endswith(".py")))
