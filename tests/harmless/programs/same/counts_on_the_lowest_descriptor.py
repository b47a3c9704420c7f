"""The next descriptor has the lowest free number: daemons count on it."""

import os

first = os.open("/dev/null", os.O_RDONLY)
os.close(first)
surprises = 0
for _ in range(500):
    sum(range(15_000))
    number = os.open("/dev/null", os.O_RDONLY)
    os.close(number)
    surprises += number != first
print("surprises", surprises)
os.close(0)
print(os.open("/dev/null", os.O_RDONLY))
