# terminal: leader
# status: 1
"""A traceback on a terminal."""

print("before")
1 / 0
