# ci
"""Nobody else holds the program's objects."""

import gc
import sys
import time


class Mine:
    pass


mine = Mine()
time.sleep(0.4)
print(sys.getrefcount(mine), [type(one).__name__ for one in gc.get_referrers(mine)])
