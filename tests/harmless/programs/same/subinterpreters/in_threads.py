# python-at-least: 3.12
"""Interpreters in threads, with their own work."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import threading


def work():
    number = interpreters.create()
    interpreters.run_string(number, "sum(range(100000))")
    interpreters.destroy(number)


threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("done")
