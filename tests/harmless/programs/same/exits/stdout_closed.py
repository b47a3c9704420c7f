"""Nothing can be written at the end: the stream was closed by the program."""

import sys

sys.stderr.write("closing\n")
sys.stdout.close()
