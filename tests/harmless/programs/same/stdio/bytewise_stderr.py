"""Single bytes on stderr."""

import os

for n in range(3000):
    os.write(2, bytes([n % 256]))
