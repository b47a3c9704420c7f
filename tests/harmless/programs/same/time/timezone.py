# environment: TZ=America/New_York
"""The zone is obeyed and can be changed."""

import os
import time

print(time.tzname)
os.environ["TZ"] = "UTC"
time.tzset()
print(time.tzname, time.localtime(0)[:6])
