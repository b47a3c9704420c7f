# input: first\nsecond\nthird
"""Lines of the input, the last without an end."""

import sys

print(input(), input("prompt "), sys.stdin.read())
try:
    input()
except EOFError as error:
    print(error)
