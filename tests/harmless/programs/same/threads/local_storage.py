"""Every thread has its own."""

import threading

local = threading.local()
local.value = "main"
seen = []


def look():
    seen.append(hasattr(local, "value"))
    local.value = "other"


thread = threading.Thread(target=look)
thread.start()
thread.join()
print(local.value, seen)
