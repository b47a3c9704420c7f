"""In a destructor at the end, modules are what they are."""

import os
import sys


class Late:
    def __del__(self):
        print(os is not None, sys is not None, sys.is_finalizing(), flush=True)


late = Late()
