# terminal: leader
"""The terminal by its general name."""

with open("/dev/tty", "w") as tty:
    tty.write("through /dev/tty\n")
print("through stdout")
