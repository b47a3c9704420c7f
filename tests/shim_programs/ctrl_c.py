"""Wait for Ctrl-C: ctrl_c.py caught|uncaught."""

import sys

import common

shim = common.start()
try:
    common.ready()
    sys.stdin.read()
except KeyboardInterrupt:
    if sys.argv[1] == "uncaught":
        raise
    print("interrupted")
    sys.exit(9)
