# documented: stdout: one function at exit is the recorder's
"""How many functions there are."""

import atexit

print(atexit._ncallbacks())
