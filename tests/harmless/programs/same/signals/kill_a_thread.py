"""A signal for one thread is handled by the main one."""

import signal
import threading

names = []
signal.signal(signal.SIGUSR1, lambda *_: names.append(threading.current_thread().name))
ready, done = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (ready.set(), done.wait(10)))
thread.start()
ready.wait()
signal.pthread_kill(thread.ident, signal.SIGUSR1)
while not names:
    pass
done.set()
thread.join()
print(names)
