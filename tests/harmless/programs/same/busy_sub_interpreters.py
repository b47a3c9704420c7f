"""Second interpreters that are at work while the recorder looks where the threads are."""

import threading
import time

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

run = getattr(interpreters, "run_string", None) or interpreters.exec
CODE = """
import time
def inner(n):
    return [(x,) for x in range(50)] and n
def outer(n):
    return sum(inner(n) for n in range(50))
until = time.monotonic() + 0.7
while time.monotonic() < until:
    outer(1)
"""


def one() -> None:
    made = interpreters.create()
    run(made, CODE)
    interpreters.destroy(made)


threads = [threading.Thread(target=one) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(50):
    time.sleep(0.01)
    held = [[] for _ in range(100)]
for thread in threads:
    thread.join()
print("after")
