"""Close a descriptor after the last words into it, and go on until stdin ends: ``closes_early.py NUMBER``."""

import os
import sys

number = int(sys.argv[1])
os.write(number, b"last words\n")
os.close(number)
sys.stdin.read()
os._exit(0)
