# status: 1
"""stderr is redirected by the program: the traceback goes there."""

import os

os.dup2(os.open("errors.txt", os.O_WRONLY | os.O_CREAT, 0o600), 2)
raise ValueError("in the file")
