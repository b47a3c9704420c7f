"""A deep recursion in a thread is an error, not a crash."""

import sys
import threading

threading.stack_size(64 * 1024 * 1024)
sys.setrecursionlimit(20_000)


def down(n):
    return n if n == 0 else down(n - 1)


def work():
    print(down(15_000))
    try:
        down(30_000)
    except RecursionError:
        print("too deep")


thread = threading.Thread(target=work)
thread.start()
thread.join()
