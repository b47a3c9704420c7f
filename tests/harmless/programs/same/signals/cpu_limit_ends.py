# status: SIGXCPU
"""The limit of processor time ends the program."""

import resource

print("before", flush=True)
used = resource.getrusage(resource.RUSAGE_SELF)
resource.setrlimit(resource.RLIMIT_CPU, (1 + int(used.ru_utime + used.ru_stime), 20))
while True:
    pass
