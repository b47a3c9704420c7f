# python: -S
# documented: stdout: without site nobody takes the added folder out of sys.path
"""sys.path without site."""

import sys

print(sys.path)
