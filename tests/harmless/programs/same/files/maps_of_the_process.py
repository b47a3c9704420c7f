# documented: stdout: two mapped files of the record, and the C library
"""The files that are mapped, by name."""

print(sum("outlive" in line for line in open("/proc/self/maps")))
