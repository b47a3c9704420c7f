"""An ordinary one does."""

import threading
import time

threading.Thread(target=lambda: (time.sleep(0.3), print("thread ends"))).start()
print("main ends", flush=True)
