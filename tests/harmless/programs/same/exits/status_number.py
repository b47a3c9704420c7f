# status: 3
"""Leave with a number."""

import sys

print("before", flush=True)
sys.exit(3)
