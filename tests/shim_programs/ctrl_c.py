"""Wait for Ctrl-C: ctrl_c.py caught|uncaught.

Not in one read: a signal that arrives just before that would be looked at only after it, as in any Python program.
"""

import select
import sys

import common

shim = common.start()
try:
    common.ready()
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        pass
except KeyboardInterrupt:
    if sys.argv[1] == "uncaught":
        raise
    print("interrupted")
    sys.exit(9)
