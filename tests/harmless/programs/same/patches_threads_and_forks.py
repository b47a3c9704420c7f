"""gevent puts its own functions in the place of Python's: whoever starts a thread then starts a greenlet in the program's loop."""

import _thread
import os
import time

calls = []


def counted(module, name):
    real = getattr(module, name)

    def function(*args, **kwargs):
        calls.append(name)
        return real(*args, **kwargs)

    setattr(module, name, function)


counted(_thread, "start_new_thread")
counted(_thread, "allocate_lock")
counted(_thread, "get_ident")
sleep, wait, leave = time.sleep, os.waitpid, os._exit
counted(time, "sleep")
for name in ("open", "read", "write", "waitpid", "close"):
    counted(os, name)
child = os.fork()
if child == 0:
    sleep(0.4)
    leave(len(calls))
sleep(0.4)
print(os.waitstatus_to_exitcode(wait(child, 0)[1]), calls)
