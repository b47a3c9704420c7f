"""raise_signal, strsignal, Signals."""

import signal

signal.signal(
    signal.SIGUSR1,
    lambda number, frame: print(signal.Signals(number).name, signal.strsignal(number)),
)
signal.raise_signal(signal.SIGUSR1)
print(signal.SIGRTMIN, signal.SIGRTMAX, len(signal.valid_signals()))
