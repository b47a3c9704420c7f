"""A started program inherits the mask and what is ignored."""

import signal
import subprocess
import sys

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
signal.signal(signal.SIGHUP, signal.SIG_IGN)
code = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.getsignal(signal.SIGHUP))"
subprocess.run([sys.executable, "-c", code], check=True)
