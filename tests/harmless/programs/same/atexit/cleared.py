# ci
"""All functions are cleared by the program."""

import atexit

atexit.register(print, "never")
atexit._clear()
print(atexit._ncallbacks())
