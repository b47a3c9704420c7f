# terminal: job
# types: \x03
"""Ctrl-C ends a program that lets it pass, with its trace."""

import time

try:
    print("<ready>", flush=True)
    time.sleep(20)
except KeyboardInterrupt:
    raise KeyboardInterrupt from None
