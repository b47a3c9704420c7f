# python: -X utf8
# environment: LC_ALL=C
"""UTF-8 everywhere."""

import locale
import sys

print(sys.flags.utf8_mode, sys.getfilesystemencoding(), "ä€", open("ä", "w").name)
