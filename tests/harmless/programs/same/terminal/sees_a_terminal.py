# ci
# terminal: leader
"""Streams, size and name of the terminal."""

import os
import shutil
import sys

print(
    [stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)],
    os.get_terminal_size(),
    shutil.get_terminal_size(),
)
print(sys.stdout.line_buffering, os.environ["TERM"], os.tcgetpgrp(0) == os.getpgrp())
