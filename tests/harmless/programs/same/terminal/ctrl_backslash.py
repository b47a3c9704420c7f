# terminal: job
# types: \x1c
"""Ctrl-\\ ends by SIGQUIT."""

import time

print("<ready>", flush=True)
time.sleep(20)
