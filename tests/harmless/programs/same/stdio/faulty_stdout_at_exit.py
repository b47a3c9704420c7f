# status: 120
"""A stream whose flush fails at the end."""

import sys


class Faulty:
    def write(self, text):
        return len(text)

    def flush(self):
        raise OSError("cannot")


sys.stdout = Faulty()
