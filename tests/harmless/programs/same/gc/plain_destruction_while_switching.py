"""Without cycles and with very short switches, too."""

import sys
import threading
import time

sys.setswitchinterval(1e-6)
seen = set()


class Thing:
    def __del__(self):
        seen.add(threading.get_ident() == threading.main_thread().ident)


def work():
    things = [Thing() for _ in range(50)]
    return len(things)


until = time.monotonic() + 2
while time.monotonic() < until:
    work()
print(seen)
