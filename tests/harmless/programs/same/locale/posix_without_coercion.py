# environment: LC_ALL=POSIX
# environment: PYTHONCOERCECLOCALE=0
# environment: PYTHONUTF8=0
"""ASCII: what cannot be written is an error or is escaped."""

import sys

print(sys.stdout.encoding, "ä".encode("ascii", "backslashreplace"))
try:
    print("ä")
except UnicodeEncodeError as error:
    print(error.reason)
