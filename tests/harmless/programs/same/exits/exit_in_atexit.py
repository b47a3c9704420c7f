"""An exit in a function at exit."""

import atexit
import sys

atexit.register(print, "first registered")
atexit.register(lambda: sys.exit(4))
atexit.register(print, "last registered")
