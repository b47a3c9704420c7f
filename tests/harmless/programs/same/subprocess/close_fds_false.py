"""All descriptors are inherited where that is wished."""

import os
import subprocess
import sys

number = os.open("/dev/null", os.O_RDONLY)
os.set_inheritable(number, True)
code = "import os, sys; print(os.fstat(int(sys.argv[1])).st_rdev != 0)"
subprocess.run([sys.executable, "-c", code, str(number)], close_fds=False, check=True)
