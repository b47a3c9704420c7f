"""An orphan goes on after the program, and writes to its file."""

import os
import time

read_end, write_end = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.close(read_end)
    with open("late.txt", "w") as file:
        file.write("written by an orphan\n")
    os.write(write_end, b"x")
    os._exit(0)
os.close(write_end)
print(os.read(read_end, 1), open("late.txt").read())
