"""The command line that the kernel has."""

print(open("/proc/self/cmdline", "rb").read())
print(open("/proc/self/comm").read())
