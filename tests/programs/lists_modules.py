"""Prints the modules that are loaded before its first line, and again when the recorder has loaded all of its own."""

import sys

first = sorted(sys.modules)

import os  # noqa: E402
import time  # noqa: E402

folder = os.environ.get("OUTLIVE_RECORD_FOLDER")
if folder and sys.argv[1:] == ["wait"]:
    while not [name for name in os.listdir(folder) if name.endswith(".native")]:
        time.sleep(0.01)
    time.sleep(0.3)
print(" ".join(first))
print(" ".join(sorted(sys.modules)))
print(" ".join(sys.path))
