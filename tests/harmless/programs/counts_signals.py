"""Count the signals that come; tell each at once, and all when stdin ends.

With ``--wait`` they are blocked and waited for instead of handled.
"""

import os
import signal
import sys
import threading

NAMES = [
    "TERM",
    "INT",
    "HUP",
    "QUIT",
    "USR1",
    "USR2",
    "ALRM",
    "VTALRM",
    "PROF",
    "IO",
    "PWR",
    "URG",
    "WINCH",
    "CONT",
    "TSTP",
    "ABRT",
    "TRAP",
    "SYS",
]
NUMBERS = [
    *(getattr(signal, "SIG" + name) for name in NAMES),
    signal.SIGRTMIN + 5,
    signal.SIGRTMIN + 6,
]


def came(number, _frame=None):
    os.write(1, b"%d\n" % number)


def wait_for_signals():
    while True:
        came(signal.sigwait(NUMBERS))


if "--wait" in sys.argv:
    signal.pthread_sigmask(signal.SIG_BLOCK, NUMBERS)
    threading.Thread(target=wait_for_signals, daemon=True).start()
else:
    for number in NUMBERS:
        signal.signal(number, came)
os.write(1, b"ready %d\n" % os.getpid())
while os.read(0, 100):
    pass
os._exit(0)
