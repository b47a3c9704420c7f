# death
"""Hooks of the program's own are called, once, with what they expect; the default ones say what they say."""

import sys
import threading


def hook(kind, value, trace):
    print("hook", kind.__name__, value, trace.tb_lineno, trace.tb_next, flush=True)


def thread_hook(args):
    print("thread hook", args.exc_type.__name__, args.thread.name, flush=True)


def fail(text):
    raise ValueError(text)


for own in (threading.excepthook, thread_hook, threading.__excepthook__):
    threading.excepthook = own
    thread = threading.Thread(target=fail, args=("in a thread",), name="worker")
    thread.start()
    thread.join()
del thread
sys.excepthook = hook
raise KeyError("at the end")
