# status: 9
"""The code is changed while it passes by."""

import sys

try:
    sys.exit(2)
except SystemExit as error:
    error.code = 9
    raise
