# terminal: leader
"""A program that leaves the terminal in another mode: it stays so."""

import tty

tty.setcbreak(0)
print("left in cbreak")
