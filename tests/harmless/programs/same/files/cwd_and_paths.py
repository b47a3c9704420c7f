"""Folder, arguments, own file."""

import os
import sys

print(
    os.getcwd() == os.path.realpath("."),
    os.path.basename(sys.argv[0]),
    os.path.isabs(__file__),
    len(sys.argv),
    os.path.realpath("/proc/self/cwd") == os.getcwd(),
)
