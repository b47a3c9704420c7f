# python: -X perf
# python-at-least: 3.12
"""With the trampoline for perf; its map goes to /tmp, and is not compared."""

import os
import sys

print(sys.is_stack_trampoline_active())
sys.deactivate_stack_trampoline()
try:
    os.remove(f"/tmp/perf-{os.getpid()}.map")
except FileNotFoundError:
    pass
