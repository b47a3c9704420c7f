# ci
# terminal: job
# documented: stdout: the program does not lead its group, so it may make a session
"""The leader of a group may not make a session."""

import os

try:
    print(os.setsid())
except PermissionError as error:
    print(error)
