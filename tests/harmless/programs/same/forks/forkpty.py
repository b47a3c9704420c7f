"""forkpty: the child has a terminal of its own."""

import os

child, master = os.forkpty()
if child == 0:
    print("child on a terminal", os.isatty(0), os.getsid(0) == os.getpid(), flush=True)
    os._exit(0)
text = b""
while True:
    try:
        more = os.read(master, 1000)
    except OSError:
        break
    if not more:
        break
    text += more
os.waitpid(child, 0)
print(text)
