"""Ten descriptors, all used, and a fork."""

import os
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
opened = []
try:
    while True:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
child = os.fork()
if child == 0:
    os._exit(len(opened))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
