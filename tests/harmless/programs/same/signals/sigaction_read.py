"""What sigaction says of signals that nobody touched."""

import ctypes
import signal

libc = ctypes.CDLL(None)
found = {}
for name in (
    "SIGUSR1",
    "SIGUSR2",
    "SIGCHLD",
    "SIGWINCH",
    "SIGPIPE",
    "SIGXFSZ",
    "SIGURG",
    "SIGTSTP",
    "SIGTTIN",
    "SIGCONT",
):
    old = (ctypes.c_ulong * 32)()
    libc.sigaction(getattr(signal, name), None, old)
    found[name] = old[0] if old[0] < 2 else "a function"
print(found)
