"""wait3, wait4, waitid tell the same of a child."""

import os

for way in ("wait3", "wait4", "waitid"):
    child = os.fork()
    if child == 0:
        os._exit(6)
    if way == "wait3":
        found = os.wait3(0)
        print(way, found[0] == child, os.waitstatus_to_exitcode(found[1]))
    elif way == "wait4":
        found = os.wait4(child, 0)
        print(way, os.waitstatus_to_exitcode(found[1]))
    else:
        found = os.waitid(os.P_PID, child, os.WEXITED)
        print(way, found.si_status, found.si_code, found.si_signo)
