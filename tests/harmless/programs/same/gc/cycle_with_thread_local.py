"""A cycle through a thread-local is freed when its thread ends."""

import gc
import threading
import weakref

local, refs = threading.local(), []


class Thing:
    pass


def work():
    local.thing = Thing()
    refs.append(weakref.ref(local.thing))


thread = threading.Thread(target=work)
thread.start()
thread.join()
gc.collect()
print(refs[0]())
