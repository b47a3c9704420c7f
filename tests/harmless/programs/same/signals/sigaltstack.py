# documented: stdout: the C library gives every thread that is started a stack for signals
"""A thread's alternate stack for signals."""

import ctypes
import threading

libc = ctypes.CDLL(None)


class Stack(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


def look():
    stack = Stack()
    libc.sigaltstack(None, ctypes.byref(stack))
    print(stack.flags, stack.size)


thread = threading.Thread(target=look)
thread.start()
thread.join()
