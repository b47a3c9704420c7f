# status: 1
"""A trace after a while that ends the program."""

import faulthandler
import sys
import time

print("before", flush=True)
faulthandler.dump_traceback_later(0.3, exit=True, file=open("/dev/null", "w"))
time.sleep(20)
