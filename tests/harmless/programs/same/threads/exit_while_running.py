# status: 3
"""The main thread leaves while others work."""

import sys
import threading

stop = threading.Event()
thread = threading.Thread(target=lambda: (stop.wait(0.3), print("other ends", flush=True)))
thread.start()
sys.exit(3)
