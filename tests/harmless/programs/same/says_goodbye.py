"""Functions at exit run in their order, threads end before, and objects after."""

import atexit
import threading
import weakref


class Thing:
    def __del__(self):
        print("thing goes", flush=True)


atexit.register(print, "registered first", flush=True)
atexit.register(print, "registered last", flush=True)
thing = Thing()
weakref.finalize(thing, print, "finalized", flush=True)
event = threading.Event()
waiting = threading.Thread(target=lambda: (event.wait(0.2), print("thread ends", flush=True)))
waiting.start()
print(atexit._ncallbacks() > 0)
