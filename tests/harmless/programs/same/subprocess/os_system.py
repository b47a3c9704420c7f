"""os.system and os.popen."""

import os

print(os.waitstatus_to_exitcode(os.system("exit 5")))
with os.popen("echo text; exit 2") as pipe:
    print(pipe.read())
print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 4"))
