"""No object of the recorder's has a reference to the program's module."""

import gc
import sys
import time

time.sleep(0.3)
module = sys.modules["__main__"]
print([type(one).__name__ for one in gc.get_referrers(module) if one is not globals()])
