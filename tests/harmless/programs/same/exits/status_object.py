# ci
# status: 1
"""An object is printed once: its text has a side effect that is counted."""

import sys


class Reason:
    asked = 0

    def __str__(self):
        Reason.asked += 1
        print("asked", Reason.asked, flush=True)
        return "a reason"


sys.exit(Reason())
