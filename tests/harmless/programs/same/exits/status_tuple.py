# status: 1
"""A tuple is printed."""

import sys

sys.exit(("a", 2))
