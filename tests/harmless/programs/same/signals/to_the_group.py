"""A signal to the process group of the program."""

import os
import signal

os.setpgid(0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
read_end, write_end = os.pipe()
child = os.fork()
if child == 0:
    os.write(write_end, b"x")
    os._exit(signal.sigwait({signal.SIGUSR1}))
os.read(read_end, 1)
os.killpg(0, signal.SIGUSR1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), signal.sigwait({signal.SIGUSR1}))
