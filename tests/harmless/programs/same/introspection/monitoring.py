# python-at-least: 3.12
"""sys.monitoring's tools are free, and see the program's code alone."""

import os
import sys
import time

tools = sys.monitoring
print([tools.get_tool(n) for n in range(6)])
files = set()
tools.use_tool_id(3, "mine")
tools.register_callback(
    3, tools.events.PY_START, lambda code, offset: files.add(os.path.basename(code.co_filename))
)
tools.set_events(3, tools.events.PY_START)
time.sleep(0.4)
(lambda: 1)()
tools.set_events(3, 0)
print(sorted(files))
