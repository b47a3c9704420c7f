# python: -OO
"""No assertions, no docstrings."""

assert False


def f():
    """Text."""


print(f.__doc__, __debug__, __doc__)
