"""A timer that comes, and one that is cancelled."""

import threading

came = threading.Event()
timer, never = threading.Timer(0.05, came.set), threading.Timer(50, print, ["never"])
timer.start()
never.start()
print(came.wait(20))
never.cancel()
