"""traceback's functions and classes."""

import traceback

try:
    [][3]
except IndexError as error:
    print(traceback.format_exc())
    made = traceback.TracebackException.from_exception(error, capture_locals=True)
    print("".join(made.format_exception_only()), len(made.stack), sorted(made.stack[0].locals)[:3])
