"""All descriptors are closed and their numbers used again; what is written there is the program's."""

import os
import time

os.closerange(3, 5000)
number = os.open("mine.txt", os.O_RDWR | os.O_CREAT, 0o600)
for target in range(900, 1100):
    os.dup2(number, target)
time.sleep(0.4)
os.write(1000, b"mine alone\n")
print(open("mine.txt").read())
