# status: 255
"""A negative number."""

import sys

sys.exit(-1)
