# terminal: leader
# types: hello\n
"""A line that is typed."""

print("got", repr(input("<ready>")))
