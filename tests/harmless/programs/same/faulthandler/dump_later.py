"""A trace after a while; read through a descriptor of its own, or a seek would move the place where it is written, and not before all of it is there."""

import faulthandler
import pathlib
import time

trace = pathlib.Path("trace.txt")
with trace.open("w") as file:
    faulthandler.dump_traceback_later(0.2, file=file)
    until = time.monotonic() + 20
    while "<module>" not in trace.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    faulthandler.cancel_dump_traceback_later()
    text = trace.read_text()
    file.truncate(0)
print("Timeout" in text, "File" in text)
