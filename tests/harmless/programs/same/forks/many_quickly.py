# ci
"""A hundred forks, and a hundred ends."""

import os

statuses = []
for n in range(100):
    child = os.fork()
    if child == 0:
        os._exit(n)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(statuses == list(range(100)))
