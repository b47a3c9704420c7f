# terminal: leader
# types: \x04
"""Ctrl-D ends the input."""

print("<ready>", flush=True)
try:
    input()
except EOFError:
    print("end of input")
