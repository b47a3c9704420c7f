# status: 1
"""A text goes to stderr, and the status is 1."""

import sys

sys.exit("a reason with an umlaut: ä")
