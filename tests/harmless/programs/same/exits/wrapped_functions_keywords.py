"""Arguments by name, where the functions know none."""

import os
import signal

for function, given in (
    (os.kill, {"pid": os.getpid(), "signal": 0}),
    (os._exit, {"code": 3}),
    (signal.alarm, {"seconds": 0}),
    (signal.setitimer, {"which": 0, "seconds": 0}),
):
    try:
        print(function(**given))
    except TypeError as error:
        print(error)
