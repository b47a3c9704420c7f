"""What a destructor raises is printed by the hook."""

import sys


class Thing:
    def __del__(self):
        raise ValueError("in a destructor")


seen = []
sys.unraisablehook = lambda args: seen.append((args.exc_type.__name__, str(args.exc_value)))
Thing()
sys.unraisablehook = sys.__unraisablehook__
Thing()
print(seen)
