# documented: stdout: handlers of Outlive's C library stand around the signals that end a program
"""Which signals the kernel says are caught."""

for line in open("/proc/self/status"):
    if line.startswith("SigCgt"):
        print(line.split())
