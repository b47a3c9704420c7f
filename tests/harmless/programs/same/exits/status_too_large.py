# status: 44
"""A number above 255 keeps its lowest byte."""

import sys

sys.exit(300)
