"""All functions are run by the program itself, which then goes on."""

import atexit
import time

atexit.register(print, "called")
atexit._run_exitfuncs()
time.sleep(0.3)
print("goes on", atexit._ncallbacks())
