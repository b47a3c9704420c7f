# status: 3
"""A tracer during sys.exit and os.kill."""

import os
import sys

events = []


def note(frame, event, argument):
    events.append((os.path.basename(frame.f_code.co_filename), event))
    return note


def work():
    os.kill(os.getpid(), 0)
    try:
        sys.exit(1)
    except SystemExit:
        pass


sys.settrace(note)
work()
sys.settrace(None)
print(events)
sys.exit(3)
