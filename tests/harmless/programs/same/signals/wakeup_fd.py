"""Numbers of signals come through a descriptor."""

import os
import signal
import socket

one, two = socket.socketpair()
one.setblocking(False)
two.setblocking(False)
print(signal.set_wakeup_fd(two.fileno()))
for number in (signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda *_: None)
    os.kill(os.getpid(), number)
print(list(one.recv(10)), signal.set_wakeup_fd(-1) == two.fileno())
