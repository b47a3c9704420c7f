# terminal: leader
# types: \x03
"""In raw mode every key is a byte, and the settings are put back."""

import os
import sys
import termios
import tty

before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("<ready>")
sys.stdout.flush()
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("key", key)
