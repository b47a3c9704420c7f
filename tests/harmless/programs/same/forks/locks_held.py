"""A lock that a thread holds is held in the child for ever."""

import os
import threading

lock = threading.Lock()
ready, done = threading.Event(), threading.Event()


def hold():
    with lock:
        ready.set()
        done.wait(20)


thread = threading.Thread(target=hold)
thread.start()
ready.wait()
child = os.fork()
if child == 0:
    os._exit(int(lock.acquire(timeout=0.2)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
thread.join()
