"""Only the main thread may set handlers."""

import signal
import threading


def wish():
    try:
        signal.signal(signal.SIGUSR1, print)
    except ValueError as error:
        print(error)


thread = threading.Thread(target=wish)
thread.start()
thread.join()
