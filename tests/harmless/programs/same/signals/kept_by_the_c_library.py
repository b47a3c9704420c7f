# documented: stdout: Linux lists the C library's own signals 32 and 33 as ignored, as in every program started by posix_spawn
"""Which of the C library's own signals are ignored: nobody can use them, Python cannot even ask for them."""

status = open("/proc/self/status").read()
ignored = int(status.split("SigIgn:")[1].split()[0], 16)
print([number for number in (32, 33) if ignored >> (number - 1) & 1])
