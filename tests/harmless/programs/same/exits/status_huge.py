# status: 255
"""A number that fits no C integer."""

import sys

sys.exit(2**70)
