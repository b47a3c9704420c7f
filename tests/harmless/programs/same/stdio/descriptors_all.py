# documented: stdout: descriptors with high numbers: where the fault handler writes, and the size of the process
"""All descriptors."""

import os

print(len([n for n in os.listdir("/proc/self/fd")]))
