"""A package in a zip file."""

import sys
import zipfile

with zipfile.ZipFile("code.zip", "w") as archive:
    archive.writestr("inzip/__init__.py", "value = 5\n")
    archive.writestr("inzip/fails.py", "def f():\n    raise ValueError('in a zip')\n")
sys.path.insert(0, "code.zip")
import inzip.fails

print(inzip.value, type(inzip.__loader__).__name__, inzip.__file__)
try:
    inzip.fails.f()
except ValueError:
    import traceback

    print(traceback.format_exc().count("in a zip"))
import os

os.remove("code.zip")
