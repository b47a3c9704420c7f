# status: SIGPIPE
"""With the default action a broken pipe ends the program in silence."""

import os
import signal

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
read_end, write_end = os.pipe()
os.close(read_end)
os.write(write_end, b"x")
