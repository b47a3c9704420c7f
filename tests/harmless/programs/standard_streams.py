"""Tell a file what the first descriptors are: ``standard_streams.py FILE STATUS``."""

import os
import stat
import sys


def what(number):
    try:
        return stat.S_IFMT(os.fstat(number).st_mode)
    except OSError:
        return "closed"


before = [what(number) for number in range(10)]
with open(sys.argv[1], "w", closefd=True) as file:
    print(before, sys.stdin is None, sys.stdout is None, sys.stderr is None, file=file)
sys.exit(int(sys.argv[2]))
