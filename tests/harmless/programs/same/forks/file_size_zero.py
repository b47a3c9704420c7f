"""No file may grow at all: fork and exit all the same."""

import os
import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
child = os.fork()
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
