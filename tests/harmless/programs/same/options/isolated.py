# python: -I
"""Isolated: nothing of ours."""

import sys
import threading

print(
    sys.path,
    sys.flags,
    [name for name in sys.modules if "outlive" in name],
    threading.active_count(),
)
