"""Real-time signals are queued, in their order."""

import os
import signal

numbers = [signal.SIGRTMIN + n for n in (1, 3, 1, 2, 1)]
signal.pthread_sigmask(signal.SIG_BLOCK, set(numbers))
for number in numbers:
    os.kill(os.getpid(), number)
print([signal.sigwait(set(numbers)) - signal.SIGRTMIN for _ in numbers])
