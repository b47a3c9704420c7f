"""An exit in a destructor is not obeyed."""

import sys


class Thing:
    def __del__(self):
        print("goes", flush=True)
        sys.exit(3)


thing = Thing()
del thing
print("goes on", flush=True)
