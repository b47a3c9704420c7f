"""The hook that Python keeps aside prints the same."""

import sys

try:
    1 / 0
except ZeroDivisionError:
    sys.__excepthook__(*sys.exc_info())
print(sys.excepthook is sys.__excepthook__)
