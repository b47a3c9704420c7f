"""The hook is replaced and put back."""

import threading
from unittest import mock


def fail():
    raise ValueError("in a thread")


with mock.patch.object(threading, "excepthook") as hook:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
print(hook.call_count, hook.call_args[0][0].exc_type.__name__)
