"""The trace of a thread's error."""

import threading


def fail():
    raise ValueError("in a thread")


thread = threading.Thread(target=fail, name="failing")
thread.start()
thread.join()
print(threading.excepthook.__name__, threading.__excepthook__ is not None)
