"""Which program runs."""

import os
import sys

print(
    sys.executable == os.path.abspath(sys.executable),
    os.path.realpath("/proc/self/exe") == os.path.realpath(sys.executable),
    sys.prefix,
    sys.base_prefix,
)
