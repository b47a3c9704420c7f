"""A module in another encoding that fails."""

import os
import sys

sys.dont_write_bytecode = True
open("latin.py", "wb").write(
    "# -*- coding: latin-1 -*-\nvalue = 'ä'\n\ndef f():\n    raise ValueError('ö')\n".encode(
        "latin-1"
    )
)
sys.path.insert(0, os.getcwd())
import latin
import traceback

try:
    latin.f()
except ValueError:
    print(latin.value, traceback.format_exc().count("raise ValueError('ö')"))
