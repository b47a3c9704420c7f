"""A sandbox that lets no file become large, and ends who tries it."""

import multiprocessing
import os
import resource
import signal
import time

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def work(seconds):
    os.write(2, b"at work\n")
    time.sleep(seconds)


for seconds in (0, 0.3):
    child = os.fork()
    if child == 0:
        work(seconds)
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    process = multiprocessing.get_context("fork").Process(target=work, args=(seconds,))
    process.start()
    process.join()
    print(process.exitcode)
