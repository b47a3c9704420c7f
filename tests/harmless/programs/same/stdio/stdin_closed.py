"""A closed input."""

import os
import sys

os.close(0)
try:
    sys.stdin.read()
except OSError as error:
    print(error)
