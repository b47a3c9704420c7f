# environment: LC_ALL=C
"""The plain locale."""

import locale
import os
import sys

print(sys.stdout.encoding, sys.stdout.errors, os.fsencode("ä"), locale.setlocale(locale.LC_CTYPE))
