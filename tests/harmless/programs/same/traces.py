"""A tracer and a profiler see the program's own calls, and nobody else's."""

import os
import sys
import threading

calls = []


def note(frame, event, argument):
    name = os.path.basename(frame.f_code.co_filename)
    calls.append((event, name, frame.f_code.co_name))
    return note


def work(depth):
    total = sum(range(300_000))
    return total if depth == 0 else work(depth - 1)


sys.settrace(note)
threading.settrace(note)
work(20)
thread = threading.Thread(target=work, args=(3,))
thread.start()
thread.join()
sys.settrace(None)
print(
    len([call for call in calls if call[2] == "work"]),
    sorted({call[1] for call in calls} - {"threading.py", "_weakrefset.py"}),
)
calls.clear()
sys.setprofile(note)
work(20)
sys.setprofile(None)
print(len(calls), sorted({call[1] for call in calls}))
