"""A pipe that is full says so."""

import os

read_end, write_end = os.pipe()
os.set_blocking(write_end, False)
count = 0
try:
    while True:
        count += os.write(write_end, bytes(4096))
except BlockingIOError as error:
    print(count, error.errno)
