"""_thread.interrupt_main from a thread."""

import _thread
import threading
import time

threading.Timer(0.1, _thread.interrupt_main).start()
try:
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted")
