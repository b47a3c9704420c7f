# documented: stdout: a wrapper around what site calls exit and quit is a frame of a caught SystemExit
"""The frames of an exit by the names that site gives people, caught."""

import traceback

for leave in (exit, quit):
    try:
        leave(3)
    except SystemExit as error:
        print(len(traceback.extract_tb(error.__traceback__)))
