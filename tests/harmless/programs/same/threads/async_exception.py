"""PyThreadState_SetAsyncExc reaches the thread that was meant."""

import ctypes
import threading
import time

result = []


def work():
    try:
        while True:
            time.sleep(0.01)
    except ValueError as error:
        result.append(type(error).__name__)


thread = threading.Thread(target=work)
thread.start()
print(
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident), ctypes.py_object(ValueError)
    )
)
thread.join(20)
print(result)
