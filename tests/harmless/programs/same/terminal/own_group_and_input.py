# ci
# terminal: job
# types: text\n
"""The same reads a line."""

import os

os.setpgid(0, 0)
print("got", repr(input("<ready>")))
