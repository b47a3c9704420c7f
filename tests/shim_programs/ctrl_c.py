"""Wait for Ctrl-C: ctrl_c.py caught|uncaught."""

import sys

import common

shim = common.start()
common.ready()
try:
    sys.stdin.read()
except KeyboardInterrupt:
    if sys.argv[1] == "uncaught":
        raise
    print("interrupted")
    sys.exit(9)
