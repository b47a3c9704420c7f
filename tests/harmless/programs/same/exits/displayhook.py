# input: 1 + 1\nprint('x')\n
# python: -i
"""An interactive interpreter goes on after the script, with its input."""

import sys

sys.ps1 = sys.ps2 = ""
print("script")
