# status: 1
"""No hook at all."""

import sys

del sys.excepthook
raise ValueError("without a hook")
