"""Callbacks of weak references to cyclic garbage run in the program's own threads."""

import threading
import time
import weakref

seen, kept = set(), []


class Thing:
    pass


until = time.monotonic() + 3
while time.monotonic() < until:
    for _ in range(200):
        thing = Thing()
        thing.me = thing
        kept.append(
            weakref.ref(
                thing, lambda _: seen.add(threading.get_ident() == threading.main_thread().ident)
            )
        )
    del kept[:-2000]
    time.sleep(0)
print(seen)
