"""The main thread is the process."""

import os
import threading

print(threading.get_native_id() == os.getpid())
