"""A tracer, a profiler and the stack that a handler sees: the program's own frames and nobody else's."""

import atexit
import inspect
import os
import signal
import sys
import traceback

seen = []


def note(frame, event, argument):
    seen.append((event, os.path.basename(frame.f_code.co_filename), frame.f_code.co_name))
    return note


def handle(number, frame):
    seen.append([entry.function for entry in inspect.stack(0)])
    seen.append([line.name for line in traceback.extract_stack()])


def ends():
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.alarm(0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        sys.exit(1)
    except SystemExit:
        pass


signal.signal(signal.SIGUSR1, handle)
for install in (sys.settrace, sys.setprofile):
    install(note)
    ends()
    install(None)
    print(len(seen), seen)
    seen.clear()
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(4, "test")
    for event in (sys.monitoring.events.PY_START, sys.monitoring.events.CALL):
        sys.monitoring.register_callback(
            4,
            event,
            lambda code, *more: seen.append((os.path.basename(code.co_filename), code.co_name)),
        )
    sys.monitoring.set_events(4, sys.monitoring.events.PY_START | sys.monitoring.events.CALL)
    ends()
    sys.monitoring.set_events(4, 0)
    print(len(seen), seen)
    seen.clear()
atexit.register(lambda: print(sys.exc_info(), [line.name for line in traceback.extract_stack()]))
sys.exit(0)
