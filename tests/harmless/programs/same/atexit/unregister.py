"""Functions are taken out."""

import atexit

atexit.register(print, "stays")
atexit.register(input)
atexit.unregister(input)
