"""In a thread SystemExit ends the thread, in silence."""

import sys
import threading

thread = threading.Thread(target=lambda: sys.exit(3))
thread.start()
thread.join()
print("main goes on", thread.is_alive())
