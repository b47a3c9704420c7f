# ci
"""What a program can see of its interpreter at its first line."""

import sys

# what is built in cannot be shadowed, and what asks for the interpreter is built in where it matters
BEFORE = set(sys.modules) - {*sys.builtin_module_names, "_xxsubinterpreters", "_interpreters"}

import gc  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402

sum(range(5_000_000))
print(sys.path, sys.argv, sys.orig_argv if hasattr(sys, "orig_argv") else "")
print(sys.flags, sys.warnoptions, sys.dont_write_bytecode)
print([str(one) for one in warnings.filters])
print(
    threading.active_count(),
    [one.name for one in threading.enumerate()],
    threading.main_thread() is threading.current_thread(),
)
print(
    sys.excepthook is sys.__excepthook__,
    sys.displayhook is sys.__displayhook__,
    sys.unraisablehook is sys.__unraisablehook__,
)
print(sys.gettrace(), sys.getprofile(), sys.getswitchinterval(), sys.getrecursionlimit())
print({number: str(signal.getsignal(number)) for number in signal.valid_signals()})
print(
    sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    signal.set_wakeup_fd(-1),
    signal.getitimer(signal.ITIMER_REAL),
)
print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.get_freeze_count())
print("sitecustomize" in BEFORE, "usercustomize" in BEFORE)
print(
    sys.stdout.encoding,
    sys.stdout.errors,
    sys.stdin.encoding,
    sys.stdout.line_buffering,
    sys.flags.utf8_mode,
)
print(time.tzname, os.getcwd() == os.path.abspath("."), __name__, __spec__, sorted(globals()))
print(
    sorted(name for name in BEFORE if not name.startswith("_outlive")),
    threading.excepthook.__module__,
)
