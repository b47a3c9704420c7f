"""Imports its own modules, which are named like the standard library's, and may fail at the end."""

import sys

import ctypes
import fcntl
import mmap
import resource
import signal
import struct

assert all(module.MINE for module in (ctypes, fcntl, mmap, resource, signal, struct))
if "fail" in sys.argv:
    raise LookupError("as asked")
