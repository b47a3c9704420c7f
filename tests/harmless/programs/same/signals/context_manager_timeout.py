"""A time limit by alarm, as a context manager, many times."""

import contextlib
import signal
import time


@contextlib.contextmanager
def limit(seconds):
    def handler(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


late = 0
for turn in range(20):
    try:
        with limit(0.02 if turn % 2 else 5):
            time.sleep(0.0 if turn % 2 == 0 else 5)
    except TimeoutError:
        late += 1
print(late, signal.getsignal(signal.SIGALRM))
