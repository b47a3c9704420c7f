"""Descriptor 2 becomes a file of the program's: nothing else is written there."""

import os
import time

os.close(2)
number = os.open("data.bin", os.O_RDWR | os.O_CREAT, 0o600)
time.sleep(0.3)
os.write(number, b"data")
print(number)
