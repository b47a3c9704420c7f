# needs: root
"""No thread may be started: the error that Python gives."""

import os
import resource
import threading

os.setresuid(12346, 12346, 12346)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=print).start()
except RuntimeError as error:
    print(error)
