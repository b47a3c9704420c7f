"""Says that it is ready, then waits for a line that never comes."""

import os
import sys

os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
sys.stdin.readline()
