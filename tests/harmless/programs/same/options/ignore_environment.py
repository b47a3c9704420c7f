# python: -E
"""Without Python's variables."""

import sys

print(sys.path, sys.flags)
