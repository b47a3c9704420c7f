# environment: PYTHONFAULTHANDLER=1
# status: SIGFPE
"""The variable enables it."""

import faulthandler
import os
import signal

print(faulthandler.is_enabled(), flush=True)
faulthandler.enable(all_threads=False)
os.kill(os.getpid(), signal.SIGFPE)
