# status: 1
"""One request that nobody could serve."""

bytearray(1 << 62)
