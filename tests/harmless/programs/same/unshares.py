# needs: root
# python-at-least: 3.12
"""A process with one thread may leave its namespaces; one with more may not."""

import os

sum(range(5_000_000))
os.unshare(os.CLONE_NEWUSER)
print(os.getuid())
