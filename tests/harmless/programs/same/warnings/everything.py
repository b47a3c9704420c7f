# python: -X dev -W always
"""Development mode: unclosed files and the like are told of, ours are none."""

import time

time.sleep(0.3)
print("dev")
