"""A daemonic thread does not keep the program alive."""

import threading
import time

threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
print("leaving")
