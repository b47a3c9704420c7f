# terminal: job
# types: \x1a
"""Ctrl-Z stops the job."""

import time

print("<ready>", flush=True)
time.sleep(20)
