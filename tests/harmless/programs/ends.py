"""End in a given way: ``ends.py WAY [VALUE]``."""

import ctypes
import os
import resource
import signal
import sys
import threading

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def by_signal(name):
    number = signal.SIGRTMIN + 3 if name == "SIGRT" else getattr(signal, name)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def by_exception(text):
    raise ValueError(text)


def by_chained_exception(text):
    try:
        {}[text]
    except KeyError as error:
        raise RuntimeError("no such thing") from error


def in_a_thread(text):
    thread = threading.Thread(target=by_exception, args=(text,), name="worker")
    thread.start()
    thread.join()


def by_bad_pointer(_):
    ctypes.string_at(0)


def by_failing_kill(_):
    os.kill(2**22 + 1, signal.SIGTERM)


def with_object(_):
    sys.exit({"not": "a number"})


WAYS = {
    "signal": by_signal,
    "exception": by_exception,
    "chained": by_chained_exception,
    "thread": in_a_thread,
    "bad-pointer": by_bad_pointer,
    "failing-kill": by_failing_kill,
    "recursion": lambda _: (lambda f: f(f))(lambda f: f(f)),
    "abort": lambda _: os.abort(),
    "_exit": lambda value: os._exit(int(value)),
    "sys.exit": lambda value: sys.exit(int(value)),
    "sys.exit-none": lambda _: sys.exit(None),
    "sys.exit-nothing": lambda _: sys.exit(),
    "sys.exit-text": lambda value: sys.exit(value),
    "sys.exit-object": with_object,
    "sys.exit-true": lambda _: sys.exit(True),
    "sys.exit-wrong": lambda _: sys.exit(1, 2),
    "interrupt": lambda _: signal.raise_signal(signal.SIGINT),
    "syntax": lambda _: compile("a b", "<text>", "exec"),
}


def raise_system_exit(value):
    raise SystemExit(value)


WAYS["SystemExit"] = raise_system_exit

if __name__ == "__main__":
    print("begun", flush=True)
    print("begun", file=sys.stderr, flush=True)
    WAYS[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "")
    print("lived on", flush=True)
