# input: n\nn\np total\nc\n
"""pdb on its input."""

import pdb


def work():
    total = 1
    total += 1
    return total


pdb.Pdb(nosigint=True, readrc=False).runcall(work)
