# environment: ODD=a=b;$HOME\n
# environment: EMPTY=
"""Odd values arrive as they are."""

import os

print(repr(os.environ["ODD"]), repr(os.environ["EMPTY"]), os.environb[b"ODD"])
