"""Descriptors with high numbers are free."""

import fcntl
import os

number = os.open("/dev/null", os.O_RDONLY)
print([fcntl.fcntl(number, fcntl.F_DUPFD, least) for least in (50, 200, 500)])
