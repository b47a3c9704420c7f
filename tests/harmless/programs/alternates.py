"""Write to stdout and stderr in turns."""

import os

for number in range(2000):
    os.write(1, b"o%d\n" % number)
    os.write(2, b"e%d\n" % number)
