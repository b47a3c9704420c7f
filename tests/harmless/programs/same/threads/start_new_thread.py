"""Threads below threading."""

import _thread
import threading

lock = _thread.allocate_lock()
lock.acquire()


def work():
    print(type(threading.current_thread()).__name__, _thread._count() >= 1)
    lock.release()


_thread.start_new_thread(work, ())
lock.acquire()
