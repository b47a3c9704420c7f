"""Functions that threading calls before it joins."""

import threading

stop = threading.Event()
threading._register_atexit(stop.set)
threading.Thread(target=lambda: (stop.wait(20), print("was told"))).start()
