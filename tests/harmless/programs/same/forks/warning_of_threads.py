# python: -W default
# python-at-least: 3.12
"""Fork with threads of the program's own warns; with none it does not."""

import os
import threading

if (child := os.fork()) == 0:
    os._exit(0)
os.waitpid(child, 0)
print("no warning before this", flush=True)
done = threading.Event()
thread = threading.Thread(target=done.wait)
thread.start()
if (child := os.fork()) == 0:
    os._exit(0)
os.waitpid(child, 0)
done.set()
thread.join()
