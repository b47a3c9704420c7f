"""A system call that is interrupted and begun again."""

import os
import signal
import threading

read_end, write_end = os.pipe()
signal.signal(signal.SIGUSR1, lambda *_: print("handled"))
signal.siginterrupt(signal.SIGUSR1, True)
main = threading.get_ident()


def poke():
    import time

    for _ in range(3):
        time.sleep(0.1)
        signal.pthread_kill(main, signal.SIGUSR1)
    time.sleep(0.1)
    os.write(write_end, b"x")


threading.Thread(target=poke).start()
print(os.read(read_end, 1))
