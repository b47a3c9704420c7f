# ci
"""Signals that are blocked, waited for, pending, and told through a descriptor."""

import os
import signal
import threading
import time

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM})
sum(range(10_000_000))
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigwait({signal.SIGUSR1}))
os.kill(os.getpid(), signal.SIGTERM)
print(sorted(signal.sigpending()))
print(signal.sigtimedwait({signal.SIGTERM}, 5).si_code, signal.sigtimedwait({signal.SIGTERM}, 0))
read_end, write_end = os.pipe()
os.set_blocking(write_end, False)
print(signal.set_wakeup_fd(write_end))
print(signal.signal(signal.SIGUSR2, lambda number, frame: print("handled", number)))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR2})
os.kill(os.getpid(), signal.SIGUSR2)
print(os.read(read_end, 10), signal.set_wakeup_fd(-1) == write_end)
print(signal.getsignal(signal.SIGSEGV), signal.getsignal(signal.SIGINT))
signal.signal(signal.SIGALRM, lambda number, frame: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.1)
signal.siginterrupt(signal.SIGALRM, False)
signal.pthread_kill(threading.get_ident(), signal.SIGALRM)
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGINT)
print(signal.signal(signal.SIGINT, signal.default_int_handler))
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
