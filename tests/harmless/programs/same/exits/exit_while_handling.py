# status: 2
"""An exit inside an except clause has a context."""

import sys

try:
    1 / 0
except ZeroDivisionError:
    try:
        sys.exit(2)
    except SystemExit as error:
        print(repr(error.__context__), flush=True)
        raise
