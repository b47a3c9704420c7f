"""Put the terminal into raw mode, read one key, put it back."""

import os
import sys
import termios
import tty

before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"<ready>")
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("key", key, flush=True)
sys.exit(0)
