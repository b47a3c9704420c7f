"""The module trace counts the program's lines alone."""

import os
import trace


def work():
    total = 0
    for n in range(3):
        total += n
    if total > 100:
        os.kill(os.getpid(), 0)
    return total


tracer = trace.Trace(count=True, trace=False)
tracer.runfunc(work)
print(
    sorted(
        (os.path.basename(file), line, count)
        for (file, line), count in tracer.results().counts.items()
    )
)
