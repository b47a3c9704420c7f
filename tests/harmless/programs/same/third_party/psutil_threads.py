# same-on: 3.13t
# needs: module psutil
# documented: stdout: the recorder has one thread
"""psutil counts the kernel's threads."""

import psutil

print(psutil.Process().num_threads())
