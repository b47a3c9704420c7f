"""Somebody who waits for any child has none."""

import os

try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError as error:
    print(error)
