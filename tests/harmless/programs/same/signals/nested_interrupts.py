"""KeyboardInterrupt inside its own clean-up."""

import os
import signal

log = []
try:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    finally:
        log.append("first clean-up")
        try:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
        except KeyboardInterrupt:
            log.append("second")
except KeyboardInterrupt as error:
    log.append(repr(error.__context__))
print(log)
