"""Children that die by each deadly signal: the status tells which."""

import os
import signal

for name in "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO SYS".split():
    number = getattr(signal, "SIG" + name)
    child = os.fork()
    if child == 0:
        if name != "KILL":
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(0)
    print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
