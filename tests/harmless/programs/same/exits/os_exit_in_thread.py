# status: 8
"""A thread ends the process at once."""

import os
import threading
import time

threading.Thread(target=lambda: os._exit(8)).start()
time.sleep(20)
