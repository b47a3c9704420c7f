"""A caught exit is not one; its arguments are what was given."""

import sys

for value in (None, 0, 3, "text", (1, 2)):
    try:
        sys.exit(value)
    except SystemExit as error:
        print(repr(error), error.code, error.args)
try:
    sys.exit(1, 2)
except TypeError as error:
    print(type(error).__name__)
print("still here")
