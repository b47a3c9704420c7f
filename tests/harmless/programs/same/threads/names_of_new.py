"""New threads are numbered from one."""

import threading

for _ in range(3):
    thread = threading.Thread(target=lambda: print(threading.current_thread().name))
    thread.start()
    thread.join()
print(threading.Thread(target=print).name, threading.Timer(1, print).name)
