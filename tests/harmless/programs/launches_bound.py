"""Start a command that gets a signal when this process dies (PR_SET_PDEATHSIG, 0 for none), and wait."""

import ctypes
import subprocess
import sys

SET_SIGNAL_OF_PARENTS_DEATH = 1

libc = ctypes.CDLL(None)
number = int(sys.argv[1])
subprocess.run(
    sys.argv[2:],
    preexec_fn=lambda: libc.prctl(SET_SIGNAL_OF_PARENTS_DEATH, number),
    check=False,
)
