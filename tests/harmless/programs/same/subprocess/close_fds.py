"""A started program has three descriptors and those that were handed over."""

import os
import subprocess

read_end, write_end = os.pipe()
code = "ls -1 /proc/self/fd | sort -n | tr '\\n' ' '"
print(subprocess.check_output(["sh", "-c", code]).split()[:3])
print(
    subprocess.run(["sh", "-c", f"echo through >&{write_end}"], pass_fds=[write_end]).returncode,
    os.read(read_end, 10),
)
