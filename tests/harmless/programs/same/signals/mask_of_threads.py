"""A new thread has the mask of its maker."""

import signal
import threading

masks = []


def look():
    masks.append(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))


for wanted in ((), (signal.SIGUSR1,), (signal.SIGTERM, signal.SIGINT)):
    signal.pthread_sigmask(signal.SIG_SETMASK, wanted)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
print(masks)
