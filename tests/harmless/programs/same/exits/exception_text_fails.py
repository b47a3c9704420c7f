# status: 1
"""An exception whose text cannot be made."""


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


raise Odd
