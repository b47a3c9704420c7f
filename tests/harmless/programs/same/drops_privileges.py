# needs: root
"""Become nobody, as servers do, and go on: fork, write, fail."""

import os

os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
sum(range(10_000_000))
print(os.getresuid(), os.getresgid())
child = os.fork()
if child == 0:
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
raise RuntimeError("as nobody")
