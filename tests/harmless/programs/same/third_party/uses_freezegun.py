# needs: module freezegun
"""Time stands still, for everybody who asks."""

import datetime
import time
import freezegun

with freezegun.freeze_time("2020-01-01"):
    first = time.time()
    for _ in range(100000):
        pass
    print(datetime.datetime.now(), time.time() == first)
