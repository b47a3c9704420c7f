# status: 1
"""An object whose text cannot be made."""

import sys


class Reason:
    def __str__(self):
        print("asked", flush=True)
        raise ValueError("no text")


sys.exit(Reason())
