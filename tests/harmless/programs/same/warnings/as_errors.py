# python: -W error
"""With warnings as errors, nothing of the start or the end warns."""

import time

time.sleep(0.3)
print("no warning")
