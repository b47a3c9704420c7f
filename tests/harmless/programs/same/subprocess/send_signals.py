"""Signals to a started program."""

import signal
import subprocess
import sys

code = "import os, signal; signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b'got\\n')); print('ready', flush=True); signal.pause(); signal.pause()"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
print(child.stdout.readline())
child.send_signal(signal.SIGUSR1)
print(child.stdout.readline())
child.terminate()
print(child.wait(), child.poll())
