"""pause returns after a handler."""

import signal

signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.alarm(1)
signal.pause()
print("after")
