# ci
"""Close all descriptors, open new ones, fork; every byte in them is the program's own."""

import os

os.closerange(3, 4096)
numbers = [os.open(f"data-{n}", os.O_RDWR | os.O_CREAT) for n in range(30)]
print(numbers)
sum(range(10_000_000))
for number in numbers:
    os.write(number, b"first %d\n" % number)
child = os.fork()
if child == 0:
    for number in numbers:
        os.write(number, b"child %d\n" % number)
    os._exit(0)
print(os.waitpid(child, 0)[1])
for number in numbers:
    os.write(number, b"last %d\n" % number)
