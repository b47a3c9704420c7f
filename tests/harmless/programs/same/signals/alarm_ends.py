# status: SIGALRM
"""An alarm without a handler ends the program."""

import signal
import time

print("before", flush=True)
signal.setitimer(signal.ITIMER_REAL, 0.3)
time.sleep(20)
