"""posix_spawn with its actions on descriptors."""

import os
import sys

actions = [(os.POSIX_SPAWN_OPEN, 1, "out.txt", os.O_WRONLY | os.O_CREAT, 0o644)]
child = os.posix_spawn(
    "/bin/echo",
    ["echo", "spawned"],
    os.environ,
    file_actions=actions,
    setsigmask=[],
    setsigdef=[15],
)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), open("out.txt").read())
