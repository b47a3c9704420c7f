"""Wrong arguments give the usual errors."""

import os
import signal

for function, arguments in (
    (os.kill, ()),
    (os.kill, ("x", 1)),
    (os._exit, ("x",)),
    (signal.alarm, (None,)),
    (signal.setitimer, (99, 1)),
    (os.kill, (0, 12345)),
):
    try:
        function(*arguments)
    except Exception as error:
        print(type(error).__name__, error)
