# terminal: leader
# types: ab\x7fc\n
"""A line is edited."""

import readline

print("got", repr(input("<ready>")), readline.__doc__ is not None)
