"""stdout is redirected by descriptor and by name."""

import contextlib
import io
import os
import sys

with contextlib.redirect_stdout(io.StringIO()) as text:
    print("caught")
sys.stdout.flush()
saved = os.dup(1)
os.dup2(os.open("file.txt", os.O_WRONLY | os.O_CREAT, 0o600), 1)
os.system("echo by a shell")
os.dup2(saved, 1)
print(repr(text.getvalue()), open("file.txt").read())
