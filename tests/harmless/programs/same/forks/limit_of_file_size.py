# ci
"""A small limit on file sizes, with its signal at the default: the child does not write anything of ours over it."""

import os
import resource
import signal

resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
child = os.fork()
if child == 0:
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
