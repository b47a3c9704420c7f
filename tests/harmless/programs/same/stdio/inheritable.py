"""Descriptors are not inheritable unless wished."""

import os

number = os.open("/dev/null", os.O_RDONLY)
print(
    os.get_inheritable(number),
    os.get_inheritable(0),
    os.get_blocking(0),
    os.get_blocking(1),
    os.get_blocking(2),
)
