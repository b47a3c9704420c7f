"""A pending call of the program's own runs in the main thread."""

import ctypes
import threading
import time

seen = []
CALL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
call = CALL(lambda _: seen.append(threading.current_thread().name) or 0)
print(ctypes.pythonapi.Py_AddPendingCall(call, None))
until = time.monotonic() + 10
while not seen and time.monotonic() < until:
    time.sleep(0.01)
print(seen)
