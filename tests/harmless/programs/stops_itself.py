"""Stop, as a program does that handles the key itself; go on when continued."""

import os
import signal
import sys

os.kill(os.getpid(), signal.SIGTSTP)
print("<went", "on>", flush=True)  # the verdict shows this line, and must not be taken for it
sys.exit(8)
