"""Last registered, first called."""

import atexit

for n in range(5):
    atexit.register(print, "exit", n)
