# status: 7
"""The functions that site adds."""

try:
    exit("x")
except SystemExit as error:
    print(repr(error), flush=True)
quit(7)
