# status: 1
"""True is a number."""

import sys

print("exits")
sys.exit(True)
