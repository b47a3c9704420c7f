# ci
"""Become a daemon by the book, write from there, be waited for through a pipe."""

import os

read_end, write_end = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.umask(0o27)
        for number in range(64):
            if number != write_end:
                try:
                    os.close(number)
                except OSError:
                    pass
        numbers = [os.open("/dev/null", os.O_RDWR) for _ in range(3)]
        os.write(write_end, b"daemon %s" % str(numbers).encode())
    os._exit(0)
os.close(write_end)
print(os.read(read_end, 100), os.read(read_end, 100))
os.wait()
