"""Leave with None: that is 0."""

import sys

print("before")
sys.exit(None)
