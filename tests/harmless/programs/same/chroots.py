# needs: root
"""Lock itself into an empty folder and go on."""

import os

os.mkdir("jail")
os.chroot("jail")
os.chdir("/")
sum(range(10_000_000))
print(os.listdir("/"))
child = os.fork()
if child == 0:
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
