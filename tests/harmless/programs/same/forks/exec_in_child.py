"""The classic pair of fork and exec."""

import os
import sys

child = os.fork()
if child == 0:
    os.execv(
        sys.executable,
        [
            sys.executable,
            "-c",
            "import sys; print('new program', sys.argv[1:], flush=True); sys.exit(4)",
            "x",
        ],
    )
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
